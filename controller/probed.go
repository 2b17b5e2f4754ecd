// SPDX-License-Identifier: Apache-2.0

package controller

import "github.com/tristate/tristate/internal/write/probe"

// probed is the view of a [probe.Probe] on a controller.
type probed struct{ c *Controller }

func (p probed) Idle() (idle bool, waiting int, changed <-chan struct{}) {
	changed = p.c.queue.Woken() // before the look, so that no change is missed
	return p.c.idle(), p.c.queue.Length(), changed
}

func (p probed) Recheck() {
	for gk := range p.c.inForce().kinds {
		p.c.recheck(gk)
	}
}

func (p probed) Stats() probe.Stats {
	c := p.c
	c.mu.RLock()
	defer c.mu.RUnlock()
	return probe.Stats{Objects: c.graph.Len(), Kinds: len(c.sources), Passes: int(c.metrics.passed.Load()),
		Unchanged: int(c.metrics.unchanged.Load()), Writes: c.writer.Writes(), Conflicts: c.writer.Conflicts(),
		Failures: int(c.metrics.failed.Load())}
}

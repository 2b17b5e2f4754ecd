// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"sync"
)

// Stats are counts since a controller was made.
type Stats struct {
	Objects, Kinds            int // watched now
	Passes, Unchanged, Writes int // Writes counts requests that changed or tried to change an object
	Conflicts, Failures       int
}

// Target is the part of a controller that a probe sees.
type Target interface {
	// Idle reports whether there is nothing left to do, and how many objects wait to be judged. Changed is closed when the answer may be
	// another one.
	Idle() (idle bool, waiting int, changed <-chan struct{})
	// Recheck judges every object once more.
	Recheck()
	// Stats returns the counts.
	Stats() Stats
}

// Probe looks into one controller. Make one with [New]. It may be used by many goroutines.
type Probe struct {
	once    sync.Once
	running chan struct{}
	target  Target
}

// New returns a probe for one controller.
func New() *Probe { return &Probe{running: make(chan struct{})} }

type key struct{}

// With returns a context for the Run method of the controller.
func (p *Probe) With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, p) }

// Attach hands a controller that begins to run to the probe of its context, if there is one.
func Attach(ctx context.Context, t Target) {
	if p, ok := ctx.Value(key{}).(*Probe); ok {
		p.once.Do(func() {
			p.target = t
			close(p.running)
		})
	}
}

// Idle waits until there is nothing left to do: every kind is listed, every object judged, every write answered and seen. A failed write
// that will be tried again keeps it waiting, a kind that cannot be listed does not.
func (p *Probe) Idle(ctx context.Context) error {
	waiting, changed := 0, (<-chan struct{})(p.running)
	for {
		if t := p.attached(); t != nil {
			var idle bool
			if idle, waiting, changed = t.Idle(); idle {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not idle, %d objects to judge: %w", waiting, ctx.Err())
		case <-changed:
		}
	}
}

// Recheck judges every object once more. It does nothing before the controller runs.
func (p *Probe) Recheck() {
	if t := p.attached(); t != nil {
		t.Recheck()
	}
}

// Stats returns the counts; none before the controller runs.
func (p *Probe) Stats() Stats {
	if t := p.attached(); t != nil {
		return t.Stats()
	}
	return Stats{}
}

func (p *Probe) attached() Target {
	select {
	case <-p.running:
		return p.target
	default:
		return nil
	}
}

// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/controller"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/probe"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// plan collects the writes that a controller would make.
type plan struct {
	mu      sync.Mutex
	changes map[relation.ID]*planned
}

// planned are the derived conditions of an object as they are stored, and as they would be in the end.
type planned struct{ before, after []conditions.Condition }

// note adds one write that was not made. Of several of one object the first has the stored conditions, and the last those in the end.
func (p *plan) note(object conditions.ObjectRef, before, after []conditions.Condition) {
	id := relation.IDOf(object)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changes == nil {
		p.changes = map[relation.ID]*planned{}
	}
	if p.changes[id] == nil {
		p.changes[id] = &planned{before: before}
	}
	p.changes[id].after = after
}

// dryRun lets the controller come to rest without a write, and prints what it would have written.
func dryRun(ctx context.Context, a *app.App, ctl *controller.Controller, p *plan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	looking := probe.New()
	go func() { ended <- ctl.Run(looking.With(ctx)) }()
	idle := looking.Idle(ctx)
	missing, unwritten := ctl.Ready(), ctl.Unwritten()
	cancel()
	if err := <-ended; err != nil {
		return err
	}
	if idle != nil {
		return idle
	}
	written := p.write(a.Out)
	for _, gk := range ctl.Managed() {
		switch reason := unwritten[gk]; {
		case reason != "":
			a.Reportf("%s: %s", gk, reason)
		case !written[gk]:
			a.Reportf("%s: the derived conditions of every object are as they are stored", gk)
		}
	}
	if len(ctl.Managed()) == 0 {
		a.Reportf("nothing is managed: no catalog has spec.manage, and --manage names no kind")
	}
	if missing != nil {
		return exit.With(exit.Unknown, fmt.Errorf("not everything could be read: %w", missing))
	}
	return nil
}

// write prints the differences, object by object, and returns the kinds that have some.
func (p *plan) write(out io.Writer) (written map[schema.GroupKind]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	written = map[schema.GroupKind]bool{}
	for _, id := range slices.SortedFunc(maps.Keys(p.changes), relation.Compare) {
		lines := p.changes[id].diff()
		if len(lines) == 0 {
			continue
		}
		n++
		written[id.GroupKind] = true
		fmt.Fprintln(out, id)
		for _, line := range lines {
			fmt.Fprintln(out, line)
		}
	}
	fmt.Fprintf(out, "%s would be written\n", english.Count(n, "object"))
	return written
}

// diff are the conditions that go, with a minus, and those that come, with a plus. Times are no difference.
func (c *planned) diff() []string {
	line := func(list []conditions.Condition, name string) string {
		i := conditions.Find(list, name)
		if i < 0 {
			return ""
		}
		text := name + "=" + string(list[i].Status)
		if list[i].Reason != "" {
			text += " " + list[i].Reason
		}
		if list[i].Severity != "" {
			text += " (" + string(list[i].Severity) + ")"
		}
		if list[i].Message != "" {
			text += ": " + list[i].Message
		}
		return text
	}
	var names, out []string
	for _, one := range slices.Concat(c.before, c.after) {
		if !slices.Contains(names, one.Type) {
			names = append(names, one.Type)
		}
	}
	for _, name := range names {
		before, after := line(c.before, name), line(c.after, name)
		if before == after {
			continue
		}
		if before != "" {
			out = append(out, "- "+before)
		}
		if after != "" {
			out = append(out, "+ "+after)
		}
	}
	return out
}

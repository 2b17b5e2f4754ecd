// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
)

// maxPasses bounds the passes over one object in one settling: more means that derived conditions chase each other.
const maxPasses = 100

// Settle implements [World]: objects that changed, and those that depend on them, are judged from the leaves upwards until no object
// changes any more. Each pass that changes an object is one write.
func (w *MemoryWorld) Settle(ctx context.Context) ([]map[string]any, error) {
	if err := w.settle(ctx); err != nil {
		return nil, err
	}
	return w.List(ctx)
}

func (w *MemoryWorld) settle(ctx context.Context) error {
	passes := map[relation.ID]int{}
	for len(w.dirty) > 0 {
		for _, id := range w.lowest() {
			if err := ctx.Err(); err != nil {
				return err
			}
			delete(w.dirty, id)
			if passes[id]++; passes[id] > maxPasses {
				return fmt.Errorf("%s does not settle: it changed in each of %d passes", id, maxPasses)
			}
			if err := w.judge(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowest returns the objects to judge first: all of the lowest rank, in order.
func (w *MemoryWorld) lowest() []relation.ID {
	var ids []relation.ID
	best := -1
	for id := range w.dirty {
		rank := w.graph.Rank(id.GroupKind)
		if best < 0 || rank < best {
			best, ids = rank, ids[:0]
		}
		if rank == best {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, relation.Compare)
	return ids
}

// judge runs one pass over an object.
func (w *MemoryWorld) judge(id relation.ID) error {
	in, ok := derive.Gather(w.graph, id, w.now)
	if !ok {
		return nil
	}
	result := derive.Derive(in)
	delete(w.due, id)
	if result.RequeueAt.After(w.now) {
		w.due[id] = result.RequeueAt
	}
	if !result.Changed {
		return nil
	}
	target := apply.Target{Path: in.Kind.Path, Own: in.Kind.Derived}
	w.written = append(w.written, id)
	w.store(target.Preview(copyOf(in.Self.Content), result.Owned()))
	return nil
}

// Recheck implements [World].
func (w *MemoryWorld) Recheck(ctx context.Context) error {
	for _, o := range w.graph.All() {
		if w.Catalogs().Kind(o.GroupKind) != nil {
			w.dirty[o.ID] = true
		}
	}
	return w.settle(ctx)
}

// Sleep implements [World].
func (w *MemoryWorld) Sleep(ctx context.Context, d time.Duration) error {
	end := w.now.Add(d)
	for {
		if err := w.settle(ctx); err != nil {
			return err
		}
		due := end
		for _, t := range w.due {
			if t.Before(due) {
				due = t
			}
		}
		if due.After(w.now) {
			w.now = due
		}
		for id, t := range w.due {
			if !t.After(w.now) {
				w.dirty[id] = true
				delete(w.due, id)
			}
		}
		if len(w.dirty) == 0 {
			return nil
		}
	}
}

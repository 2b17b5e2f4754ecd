// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// causes looks below objects that are not met for an object that waiting does not mend. What it reads never decides that a wait is met, so
// kinds that may not be read do no harm.
type causes struct {
	items   map[*item]bool // to look below
	changed bool           // since the last look
	looked  time.Time
}

// lookEvery is the shortest time between two looks.
const lookEvery = time.Second

// next returns when to look again; zero while nothing has changed.
func (c *causes) next() time.Time {
	if !c.changed || len(c.items) == 0 {
		return time.Time{}
	}
	return relation.Earliest(c.looked.Add(lookEvery), time.Time{})
}

// explain starts or stops to look below an object.
func (w *waiting) explain(i *item, wanted bool) {
	wanted = wanted && w.below.Cache != nil && !w.o.goal.Once && w.o.test.ReadsCauses() && i.content() &&
		i.judgement.Reason != notRead &&
		(i.judgement.Verdict == verdict.InProgress || i.judgement.Verdict == verdict.Degraded)
	switch {
	case wanted:
		w.below.put(i.object)
		w.causes.changed = true
	case w.causes.items[i] && !w.below.holds(i):
		w.below.drop(i)
	}
	if !wanted {
		delete(w.causes.items, i)
		i.blocker = nil
		return
	}
	if w.causes.items[i] {
		return
	}
	w.causes.items[i] = true
	var kinds []relation.Want
	for _, gk := range relation.BlockedBy(i.GroupKind) {
		kinds = append(kinds, relation.Want{ID: relation.ID{GroupKind: gk, Namespace: i.Namespace}, Aside: true})
	}
	w.below.Cache.Want(kinds)
}

// findCauses looks below the objects that are not met.
func (w *waiting) findCauses(now time.Time) {
	if at := w.causes.next(); at.IsZero() || now.Before(at) {
		return
	}
	w.causes.changed, w.causes.looked = false, now
	for i := range w.causes.items {
		blocker := w.below.View.Blocked(w.below.View.Graph.Get(i.ID))
		if (blocker == nil) == (i.blocker == nil) {
			i.blocker = blocker
			continue
		}
		i.blocker = blocker
		w.observe(i, w.below.object(i), now)
	}
	w.causes.changed = false
}

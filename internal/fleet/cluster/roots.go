// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// Roots are the objects of a graph that a reader shows, and which of them have to be judged again: those that came, changed or went, those
// whose judgement reads an object that did, and those whose time has come. Each is judged once a round. The kinds that judgements read are
// followed. They are for one goroutine.
type Roots struct {
	View  *relation.View
	Cache *Cache // nil for objects that are not followed, as those of files

	ids     map[relation.ID]bool
	readers map[relation.ID]bool // of them, those whose judgement reads others
	stale   map[relation.ID]bool // to be judged again, or gone
	wanting map[relation.ID]bool // readers that may read kinds that are not followed yet
	due     map[relation.ID]time.Time
}

// NewRoots returns no roots of a view.
func NewRoots(v *relation.View) *Roots {
	return &Roots{View: v, ids: map[relation.ID]bool{}, readers: map[relation.ID]bool{}, stale: map[relation.ID]bool{},
		due: map[relation.ID]time.Time{}, wanting: map[relation.ID]bool{}}
}

// Has reports whether an object is a root.
func (r *Roots) Has(id relation.ID) bool { return r.ids[id] }

// Empty reports whether there are no roots.
func (r *Roots) Empty() bool { return len(r.ids) == 0 }

// Reads reports whether the judgement of a root reads others.
func (r *Roots) Reads(id relation.ID) bool { return r.readers[id] }

// All returns the roots in no order.
func (r *Roots) All() iter.Seq[relation.ID] { return maps.Keys(r.ids) }

// IDs returns the roots in order.
func (r *Roots) IDs() []relation.ID { return slices.SortedFunc(maps.Keys(r.ids), relation.Compare) }

// Readers returns the roots whose judgements read others, in order.
func (r *Roots) Readers() []relation.ID {
	return slices.SortedFunc(maps.Keys(r.readers), relation.Compare)
}

// Put makes an object of the graph a root, to be judged in the next round.
func (r *Roots) Put(id relation.ID) { r.ids[id], r.stale[id] = true, true }

// Remove makes an object no root any more, which the next round reports.
func (r *Roots) Remove(id relation.ID) {
	r.Forget(id)
	r.stale[id] = true
}

// Forget is Remove without a report.
func (r *Roots) Forget(id relation.ID) {
	delete(r.ids, id)
	delete(r.readers, id)
	delete(r.stale, id)
	delete(r.due, id)
}

// Again makes the next round judge all roots.
func (r *Roots) Again() { maps.Copy(r.stale, r.ids) }

// Changed makes the next round judge some objects, if they are roots.
func (r *Roots) Changed(ids []relation.ID) {
	for _, id := range ids {
		if r.ids[id] {
			r.stale[id] = true
		}
	}
}

// Late returns the objects that are no roots and whose time has come, which is not reported again.
func (r *Roots) Late(now time.Time) (ids []relation.ID) {
	for id, at := range r.due {
		if !r.ids[id] && !at.After(now) {
			ids = append(ids, id)
			delete(r.due, id)
		}
	}
	slices.SortFunc(ids, relation.Compare)
	return ids
}

// Look makes a round from a time on judge a root again, or Late return another object; the zero time is never.
func (r *Roots) Look(id relation.ID, at time.Time) {
	if r.due[id] = relation.Earliest(r.due[id], at); r.due[id].IsZero() {
		delete(r.due, id)
	}
}

// LookAt is Look for the times at which a judgement may change.
func (r *Roots) LookAt(id relation.ID, j relation.Judgement) {
	r.Look(id, j.NextLook)
	if !j.Overdue && !j.Due.IsZero() {
		r.Look(id, j.Due.Add(time.Nanosecond))
	}
}

// Whole reports whether every kind that judgements read was read or cannot be.
func (r *Roots) Whole() bool { return len(r.wanting) == 0 && r.Cache.Whole() }

// Next returns the time of the next round if nothing happens; zero is never.
func (r *Roots) Next() (at time.Time) {
	for _, due := range r.due {
		at = relation.Earliest(at, due)
	}
	return at
}

// Take handles an event of the cache, whose objects are roots or are not, and returns what [Cache.Take] does.
func (r *Roots) Take(e Event, roots bool) bool {
	known := r.Cache.Take(e)
	switch {
	case !known || !roots:
	case e.Object != nil:
		r.Put(e.Object.ID)
	case e.Gone.Name != "":
		r.Remove(e.Gone)
	}
	return known
}

// Round judges the roots that have to be judged, in order, by a function that is right at a time. It calls each with their judgements, and
// with no object for those that are gone. Then it follows the kinds that these judgements read. It returns true if objects that the cache
// wanted changed, or more of them can be read.
func (r *Roots) Round(now time.Time, judge func(*relation.Object) relation.Judgement,
	each func(relation.ID, *relation.Object, relation.Judgement)) (changed bool) {
	if r.Cache != nil {
		ids, all := r.Cache.Changes()
		if r.Changed(r.View.Affected(ids)); all {
			maps.Copy(r.stale, r.readers)
		}
		changed = all || len(ids) > 0
	}
	for id, at := range r.due {
		if r.ids[id] && !at.After(now) {
			r.stale[id] = true
		}
	}
	stale := slices.SortedFunc(maps.Keys(r.stale), relation.Compare)
	if clear(r.stale); len(stale) > 0 {
		r.View.Renew(judge)
	}
	for _, id := range stale {
		delete(r.due, id)
		o := r.View.Graph.Get(id)
		if o == nil || !r.ids[id] {
			r.Forget(id)
			each(id, nil, relation.Judgement{})
			continue
		}
		j := r.View.Judgement(o)
		r.LookAt(id, j)
		if delete(r.readers, id); r.View.Reads(id) {
			r.readers[id], r.wanting[id] = true, true
		}
		each(id, o, j)
	}
	if r.Cache != nil && r.Cache.Answered() && len(r.wanting) > 0 { // until then a query may turn out to ask for the same
		counting := r.View.Counting
		r.View.Counting = true
		r.Cache.Widen(slices.SortedFunc(maps.Keys(r.wanting), relation.Compare))
		r.View.Counting = counting
		clear(r.wanting)
	}
	return changed
}

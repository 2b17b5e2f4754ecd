// SPDX-License-Identifier: Apache-2.0

package status

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// printed holds the objects of status --watch with the judgements that were printed last. Only objects that have changed, or whose verdict
// depends on the time, are judged again, so that a change among a hundred thousand objects costs little more than one among ten.
type printed struct {
	set     *catalog.Set // that they were judged by
	byID    map[relation.ID]*entry
	order   []*entry // by ID; nil where objects have come or gone
	stale   map[relation.ID]bool
	deleted []*relation.Node // printed objects that no longer exist
	round   int              // number of calls of changes
	dirty   bool             // something may have changed since the nodes to show were chosen
}

// entry is one object with its judgement now.
type entry struct {
	*relation.Node
	last  *relation.Node // as it was printed last; nil where the object is not shown
	round int            // the last round in which it was shown
}

// changed marks an object, to be judged again.
func (p *printed) changed(id relation.ID) {
	if p.stale == nil {
		p.stale = map[relation.ID]bool{}
	}
	p.stale[id] = true
}

// update judges those roots of a graph again that have changed or whose time has come, and returns all of them by ID.
func (p *printed) update(g *relation.Graph, roots map[relation.ID]bool, set *catalog.Set, judge func(*relation.Object) relation.Judgement,
	now time.Time) []*entry {
	if p.byID == nil || p.set != set {
		p.set = set
		for id := range roots {
			p.changed(id)
		}
	}
	if p.byID == nil {
		p.byID = map[relation.ID]*entry{}
	}
	for _, e := range p.order {
		j := &e.Judgement
		if at := j.NextLook; !at.IsZero() && !now.Before(at) || !j.Overdue && !j.Due.IsZero() && now.After(j.Due) {
			p.changed(e.ID)
		}
	}
	p.dirty = p.dirty || len(p.stale) > 0
	for id := range p.stale {
		o, old := g.Get(id), p.byID[id]
		switch {
		case o == nil || !roots[id]:
			if old != nil && old.last != nil {
				p.deleted = append(p.deleted, old.last)
			}
			delete(p.byID, id)
			p.order = nil
		case old == nil:
			p.byID[id] = &entry{Node: assess(o, judge)}
			p.order = nil
		default:
			n := assess(o, judge)
			old.Judgement.NextLook = n.Judgement.NextLook // which is not printed
			if !reflect.DeepEqual(old.Judgement, n.Judgement) {
				old.Node = n
			}
		}
	}
	p.stale = nil
	if p.order == nil {
		p.order = slices.SortedFunc(maps.Values(p.byID), func(a, b *entry) int { return relation.Compare(a.ID, b.ID) })
	}
	return p.order
}

// changes returns the shown objects whose judgement differs from the one last printed, in order, then those that are no longer shown;
// deleted ones as NotFound.
func (p *printed) changes(shown []*relation.Node) []*relation.Node {
	var changed, left []*relation.Node
	p.round++
	for _, n := range shown {
		e := p.byID[n.ID]
		if e.round = p.round; e.last != n {
			changed, e.last = append(changed, n), n
		}
	}
	for _, e := range p.order {
		if e.last != nil && e.round != p.round {
			left, e.last = append(left, e.Node), nil
		}
	}
	for _, n := range p.deleted {
		left = append(left, &relation.Node{ID: n.ID, Object: n.Object,
			Judgement: relation.Judgement{Verdict: verdict.NotFound, Reason: "Deleted"}})
	}
	p.deleted = nil
	slices.SortStableFunc(left, func(a, b *relation.Node) int { return relation.Compare(a.ID, b.ID) })
	return append(changed, left...)
}

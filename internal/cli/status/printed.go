// SPDX-License-Identifier: Apache-2.0

package status

import (
	"maps"
	"reflect"
	"slices"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// printed holds the objects of status --watch with the judgements that were printed last.
type printed struct {
	byID    map[relation.ID]*entry
	order   []*entry         // by ID; nil where objects have come or gone
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

// judged takes the judgement of an object that was judged again; without the object it is gone.
func (p *printed) judged(id relation.ID, o *relation.Object, j relation.Judgement) {
	p.dirty = true
	old := p.byID[id]
	switch {
	case o == nil:
		if old != nil && old.last != nil {
			p.deleted = append(p.deleted, old.last)
		}
		delete(p.byID, id)
		p.order = nil
	case old == nil:
		if p.byID == nil {
			p.byID = map[relation.ID]*entry{}
		}
		p.byID[id] = &entry{Node: assessed(o, j)}
		p.order = nil
	default:
		n := assessed(o, j)
		old.Judgement.NextLook, old.Judgement.Looked = j.NextLook, j.Looked // which are not printed
		if !reflect.DeepEqual(old.Judgement, n.Judgement) {
			old.Node = n
		}
	}
}

// entries returns all objects by ID.
func (p *printed) entries() []*entry {
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

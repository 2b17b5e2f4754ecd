// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/verdict"
)

// known is what status --watch thinks of objects. Only what has changed, or what time has changed, is judged again, so that a change among a
// hundred thousand objects costs little more than one among ten.
type known struct {
	set   *catalog.Set // that they were judged by
	byID  map[relation.ID]*thought
	order []*thought // by ID; nil where objects have come or gone
	stale map[relation.ID]bool
	lost  []*relation.Node // of those that news gave, which are gone
	round int              // how often news were given
	moved bool             // something may have changed since the nodes to show were chosen
}

// thought is what is thought of an object now.
type thought struct {
	*relation.Node
	news  *relation.Node // the one that news gave last; nil where the object is not shown
	round int            // in which it was last to be shown
}

// changed says that there is something new of an object.
func (k *known) changed(id relation.ID) {
	if k.stale == nil {
		k.stale = map[relation.ID]bool{}
	}
	k.stale[id] = true
}

// update judges again what has changed, of the roots in a graph, and gives all by ID.
func (k *known) update(g *relation.Graph, roots map[relation.ID]bool, set *catalog.Set, judge func(*relation.Object) relation.Judgement, now time.Time) []*thought {
	if k.byID == nil || k.set != set {
		k.set = set
		for id := range roots {
			k.changed(id)
		}
	}
	if k.byID == nil {
		k.byID = map[relation.ID]*thought{}
	}
	for _, t := range k.order {
		if at := t.Judgement.NextLook; !at.IsZero() && !now.Before(at) {
			k.changed(t.ID)
		}
	}
	k.moved = k.moved || len(k.stale) > 0
	for id := range k.stale {
		o, old := g.Get(id), k.byID[id]
		switch {
		case o == nil || !roots[id]:
			if old != nil && old.news != nil {
				k.lost = append(k.lost, old.news)
			}
			delete(k.byID, id)
			k.order = nil
		case old == nil:
			k.byID[id] = &thought{Node: judged(o, judge)}
			k.order = nil
		default:
			n := judged(o, judge)
			old.Judgement.NextLook = n.Judgement.NextLook // which nobody is told
			if !reflect.DeepEqual(old.Judgement, n.Judgement) {
				old.Node = n
			}
		}
	}
	k.stale = nil
	if k.order == nil {
		k.order = slices.SortedFunc(maps.Values(k.byID), func(a, b *thought) int { return relation.Compare(a.ID, b.ID) })
	}
	return k.order
}

// news returns what is to be said anew where shown tells what is to be shown: of objects that are not what was last said of them, in order, then of
// those that are shown no longer. One that is gone is NotFound.
func (k *known) news(shown []*relation.Node) []*relation.Node {
	var changed, left []*relation.Node
	k.round++
	for _, n := range shown {
		t := k.byID[n.ID]
		if t.round = k.round; t.news != n {
			changed, t.news = append(changed, n), n
		}
	}
	for _, t := range k.order {
		if t.news != nil && t.round != k.round {
			left, t.news = append(left, t.Node), nil
		}
	}
	for _, n := range k.lost {
		left = append(left, &relation.Node{ID: n.ID, Object: n.Object,
			Judgement: relation.Judgement{Verdict: string(verdict.NotFound), Reason: "Deleted", Confidence: string(verdict.FromBuiltin)}})
	}
	k.lost = nil
	slices.SortStableFunc(left, func(a, b *relation.Node) int { return relation.Compare(a.ID, b.ID) })
	return append(changed, left...)
}

// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"slices"
	"time"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// below holds the objects whose judgement reads others (children that count, endpoints, what conditions are derived from), with these
// others: followed on a cluster, or read from files.
type below struct {
	*cluster.Roots
	counts relation.Children
	items  map[relation.ID][]*item // of the roots
	now    time.Time               // of the judgements
}

func newBelow(w *waiting) below {
	return below{counts: relation.ChildrenOf(w.set), items: map[relation.ID][]*item{},
		Roots: cluster.NewRoots(&relation.View{Graph: relation.NewPacked(w.set), Counting: true, Still: true})}
}

// alone returns what judges objects without their children.
func (w *waiting) alone(now time.Time) relation.Judge {
	return relation.Judge{Engine: w.engine, Children: w.below.counts, Now: now}
}

// reading reports whether a kind that judgements read was not read yet.
func (b *below) reading() bool { return b.Cache != nil && !b.Whole() }

// forget drops an object that does not exist any more.
func (b *below) forget(i *item) {
	if !b.holds(i) {
		return
	}
	b.items[i.ID] = slices.DeleteFunc(b.items[i.ID], func(other *item) bool { return other == i })
	if len(b.items[i.ID]) == 0 {
		delete(b.items, i.ID)
		b.Forget(i.ID)
		b.drop(i)
	}
}

// holds reports whether the judgement of an object reads others.
func (b *below) holds(i *item) bool { return slices.Contains(b.items[i.ID], i) }

// put brings the graph up to date with an object.
func (b *below) put(o *relation.Object) {
	if known := b.View.Graph.Get(o.ID); known == nil || known.UID != o.UID || known.ResourceVersion != o.ResourceVersion {
		b.View.Graph.Put(o)
	}
}

// drop removes an object from the graph of a cluster.
func (b *below) drop(i *item) {
	if b.Cache != nil {
		b.View.Graph.Delete(i.ID)
	}
}

// judge returns the judgement of an object, with the part that others take in it. Until they are read it is in progress.
func (w *waiting) judge(i *item, o *relation.Object, now time.Time) relation.Judgement {
	b := &w.below
	if b.now != now {
		b.now = now
		b.View.Renew(w.alone(now).Of)
	}
	if known := b.View.Graph.Get(o.ID); b.Cache == nil && known != nil { // of files: the objects around it were read
		return b.View.Judgement(known)
	}
	j := b.View.Judgement(o)
	if !b.View.Reads(o.ID) {
		b.View.Release() // the object need not be kept
		b.forget(i)
		return j
	}
	if b.put(o); !b.holds(i) {
		b.items[o.ID] = append(b.items[o.ID], i)
		b.Put(o.ID) // the next round follows what it reads
	}
	j = b.View.Judgement(b.View.Graph.Get(o.ID))
	if (b.reading() || !b.Reads(o.ID)) && j.Verdict == verdict.Current {
		j.Verdict, j.Ready, j.Reason, j.Type, j.Status = verdict.InProgress, false, notRead, "", ""
		j.Message = "its children or endpoints are being read"
	}
	return j
}

// postpones leaves the judgement of a change to the next round, if it reads others, and reports whether it does.
func (b *below) postpones(i *item, o *relation.Object) bool {
	if !b.holds(i) {
		return false
	}
	b.put(o)
	b.Put(o.ID)
	return true
}

// object returns an item's object as it was last: from the graph if its judgement reads others.
func (b *below) object(i *item) *relation.Object {
	if b.holds(i) {
		return b.View.Graph.Get(i.ID)
	}
	return i.object
}

// recount judges the objects again whose judgement reads one that has changed.
func (w *waiting) recount(now time.Time) {
	b := &w.below
	if b.Cache == nil {
		return
	}
	var ids []relation.ID
	changed := b.Round(now, w.alone(now).Of, func(id relation.ID, _ *relation.Object, _ relation.Judgement) { ids = append(ids, id) })
	w.causes.changed = w.causes.changed || changed
	for _, id := range ids {
		b.now = now
		for _, i := range slices.Clone(b.items[id]) {
			w.observe(i, b.object(i), now)
		}
	}
}

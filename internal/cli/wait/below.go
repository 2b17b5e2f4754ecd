// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"time"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// below holds the objects in whose judgement others take part (children that count, endpoints), with these others: followed on a cluster,
// or read from files.
type below struct {
	counts relation.Children
	view   *relation.View
	items  map[*item]bool // in whose judgement others take part
	now    time.Time      // of the judgements
	cache  *cluster.Cache // which follows the kinds of the children; nil on files
}

func newBelow(w *waiting) below {
	return below{counts: relation.ChildrenOf(w.set), items: map[*item]bool{},
		view: &relation.View{Graph: relation.NewPacked(w.set), Counting: true, Judge: func(o *relation.Object) relation.Judgement {
			return w.alone(w.below.now).Of(o)
		}}}
}

// alone returns what judges objects without their children.
func (w *waiting) alone(now time.Time) relation.Judge {
	return relation.Judge{Engine: w.engine, Children: w.below.counts, Now: now}
}

// reading reports whether a kind of children that count was not read yet.
func (b *below) reading() bool { return b.cache != nil && !b.cache.Whole() }

// forget drops an object that does not exist any more.
func (b *below) forget(i *item) {
	if b.items[i] {
		delete(b.items, i)
		b.drop(i)
	}
}

// put brings the graph up to date with an object.
func (b *below) put(o *relation.Object) {
	if known := b.view.Graph.Get(o.ID); known == nil || known.UID != o.UID || known.ResourceVersion != o.ResourceVersion {
		b.view.Graph.Put(o)
	}
}

// drop removes an object from the graph of a cluster.
func (b *below) drop(i *item) {
	if b.cache != nil {
		b.view.Graph.Delete(i.ID)
	}
}

// judge returns the judgement of an object, with the part that others take in it. Until they are read it is in progress.
func (w *waiting) judge(i *item, o *relation.Object, now time.Time) relation.Judgement {
	b := &w.below
	b.now = now
	if known := b.view.Graph.Get(o.ID); b.cache == nil && known != nil { // of files: the objects around it were read
		return b.view.Judgement(known)
	}
	j := b.view.Judge(o)
	if j.Counting == nil && !relation.ByEndpoints(o) {
		b.forget(i)
		return j
	}
	b.items[i] = true
	b.put(o)
	j = b.view.Judgement(b.view.Graph.Get(o.ID))
	if b.cache != nil {
		b.cache.Widen([]relation.ID{o.ID})
	}
	if b.reading() && j.Verdict == verdict.Current {
		j.Verdict, j.Ready, j.Reason, j.Type, j.Status = verdict.InProgress, false, notRead, "", ""
		j.Message = "its children or endpoints are being read"
	}
	return j
}

// recount judges the objects again that have a child that counts and has changed.
func (w *waiting) recount(now time.Time) {
	b := &w.below
	if b.cache == nil {
		return
	}
	children, all := b.cache.Changes()
	if len(children) == 0 && !all {
		return
	}
	w.causes.changed = true
	affected := map[relation.ID]bool{}
	for _, id := range b.view.Affected(children) {
		affected[id] = true
	}
	for i := range b.items {
		if i.object != nil && (all || affected[i.ID]) {
			w.observe(i, i.object, now)
		}
	}
}

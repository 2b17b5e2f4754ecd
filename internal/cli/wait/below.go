// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"time"

	"github.com/tristate/tristate/internal/read/cluster"
	"github.com/tristate/tristate/internal/read/judge"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/read/wait"
	"github.com/tristate/tristate/verdict"
)

// below holds the objects whose children count, with these children: followed on a cluster, or those of the files.
type below struct {
	counts pack.Children
	view   *relation.View
	items  map[*item]bool // whose children count
	now    time.Time      // of the judgements
	cache  *cluster.Cache // which follows the kinds of the children; nil on files
}

func newBelow(w *waiting) below {
	return below{counts: pack.ChildrenOf(w.set), items: map[*item]bool{},
		view: &relation.View{Graph: relation.NewPacked(w.set), Counting: true, Judge: func(o *relation.Object) relation.Judgement {
			return judge.Of(w.engine, w.below.counts, o, w.below.now)
		}}}
}

// reading reports whether a kind of children that count was not read yet.
func (b *below) reading() bool { return b.cache != nil && !b.cache.Read() }

// forget drops an object that does not exist any more.
func (b *below) forget(i *item) {
	if b.items[i] {
		delete(b.items, i)
		if b.cache != nil {
			b.view.Graph.Delete(i.ID)
		}
	}
}

// count replaces the judgement of an object whose children count by one with these children. Until they are read it is in progress.
func (w *waiting) count(i *item, o *relation.Object, s *wait.Subject, now time.Time) {
	b := &w.below
	if i.judgement.Counting = b.counts.Of(o.GroupVersionKind(), o.Content); i.judgement.Counting == nil {
		b.forget(i)
		return
	}
	b.items[i], b.now = true, now
	if known := b.view.Graph.Get(o.ID); known == nil || known.UID != o.UID || known.ResourceVersion != o.ResourceVersion {
		b.view.Graph.Put(o)
	}
	j := b.view.Judgement(b.view.Graph.Get(o.ID))
	w.o.Attribute(o, &j)
	if b.cache != nil {
		b.cache.Widen([]relation.ID{o.ID})
	}
	if b.reading() && j.Verdict == string(verdict.Current) {
		j.Verdict, j.Ready, j.Reason, j.Message, j.Type, j.Status = string(verdict.InProgress), false, notRead, "its children are being read", "",
			""
	}
	i.judgement = j
	v := *s.Verdict
	if string(v.Status) != j.Verdict {
		v.Status, v.Ready, v.Reason, v.Rule, v.Confidence, v.NextLook = verdict.Status(j.Verdict), j.Ready, j.Reason, j.Rule,
			verdict.Confidence(j.Confidence), j.NextLook
		v.Say(j.Message)
	}
	s.Verdict = &v
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

// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/cluster/follow"
	"github.com/tristate/tristate/internal/judge"
	"github.com/tristate/tristate/internal/pack"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/wait"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/api/meta"
)

// below holds the objects whose children count, and follows the kinds of these children. In files they are those of the files, and nothing is followed.
type below struct {
	counts pack.Children
	view   *relation.View
	items  map[*item]bool // whose children count
	now    time.Time      // of the judgements
	stale  bool           // a child has changed

	start   func(relation.Want) bool // follows a kind, unless it is not served; nil: on files
	events  chan belowEvent
	wanted  map[relation.Want]bool
	pending map[relation.Want]bool // kinds that were not read yet
}

// belowEvent is an event about a kind of children.
type belowEvent struct {
	follow.Event
	of relation.Want
}

func newBelow(w *waiting) below {
	return below{counts: pack.ChildrenOf(w.set), items: map[*item]bool{}, wanted: map[relation.Want]bool{}, pending: map[relation.Want]bool{},
		view: &relation.View{Graph: relation.NewPacked(w.set), Counting: true, Judge: func(o *relation.Object) relation.Judgement {
			return judge.Of(w.engine, w.below.counts, o, w.below.now)
		}}}
}

// follow makes the kinds of children be followed on a cluster until the context ends.
func (b *below) follow(ctx context.Context, c *cluster.Cluster) {
	b.events, b.view.Candidates = make(chan belowEvent, 1024), c.Candidates
	b.start = func(want relation.Want) bool {
		m, err := c.Mapper.RESTMapping(want.GroupKind)
		if err != nil {
			return false
		}
		events := make(chan follow.Event, 1024)
		q := follow.Query{Type: m.Resource.Resource + "." + m.Resource.Version + "." + m.Resource.Group, Namespace: want.Namespace}
		go follow.Run(ctx, c.Client, c.Followed, []follow.Query{q}, events)
		go func() {
			for e := range events {
				select {
				case b.events <- belowEvent{e, want}:
				case <-ctx.Done():
				}
			}
		}()
		return true
	}
}

// widen follows the kinds of the children of an object.
func (b *below) widen(id relation.ID) {
	if b.start == nil {
		return
	}
	for _, want := range b.view.Wanted([]relation.ID{id}) {
		if b.wanted[want] || b.wanted[relation.Want{GroupKind: want.GroupKind}] {
			continue
		}
		if b.wanted[want] = true; b.start(want) {
			b.pending[want] = true
		}
	}
}

// reading reports whether a kind of children that count was not read yet.
func (b *below) reading() bool { return len(b.pending) > 0 }

// forget forgets an object that does not exist any more.
func (b *below) forget(i *item) {
	if b.items[i] {
		delete(b.items, i)
		if b.start != nil {
			b.view.Graph.Delete(i.ID)
		}
	}
}

// take handles one event about children.
func (b *below) take(e belowEvent) {
	g := b.view.Graph
	b.stale = true
	switch {
	case e.Object != nil:
		g.Put(relation.FromContent(e.Object.Object))
	case e.Gone != "":
		if e.Mapping != nil {
			id := relation.ID{GroupKind: e.Mapping.GroupVersionKind.GroupKind(), Name: e.Gone}
			if namespace, name, ok := strings.Cut(e.Gone, "/"); ok {
				id.Namespace, id.Name = namespace, name
			}
			g.Delete(id)
		}
	case e.State == follow.Served:
		namespace := e.of.Namespace
		if e.Mapping != nil && e.Mapping.Scope.Name() == meta.RESTScopeNameRoot {
			namespace = ""
		}
		g.Cover(e.of.GroupKind, namespace)
		delete(b.pending, e.of)
	case e.State == follow.Forbidden, e.State == follow.NotServed: // which is a doubt about the verdict
		delete(b.pending, e.of)
	}
}

// count lets the children of an object take part in its judgement, where they count. Until they are read it is in progress.
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
	if b.widen(o.ID); b.reading() && j.Verdict == string(verdict.Current) {
		j.Verdict, j.Ready, j.Reason, j.Message, j.Type, j.Status = string(verdict.InProgress), false, notRead, "its children are being read", "", ""
	}
	i.judgement = j
	v := *s.Verdict
	if string(v.Status) != j.Verdict {
		v.Status, v.Ready, v.Reason, v.Rule, v.Confidence, v.NextLook = verdict.Status(j.Verdict), j.Ready, j.Reason, j.Rule, verdict.Confidence(j.Confidence), j.NextLook
		v.Say(j.Message)
	}
	s.Verdict = &v
}

// recount judges the objects whose children count again where one of these has changed.
func (w *waiting) recount(now time.Time) {
	b := &w.below
	if !b.stale {
		return
	}
	b.stale = false
	for i := range b.items {
		if i.object != nil {
			w.observe(i, i.object, now)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/cluster/follow"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Live is a graph that watches keep up to date, for --watch. The first queries are the targets; more follow for the kinds that the trees of
// the roots lead to. No change makes anything be listed again.
type Live struct {
	Roots map[relation.ID]bool
	Stale Staleness
	// Changed, if set, is called for each root that changed or is gone.
	Changed func(relation.ID)

	view    *View
	events  chan queryEvent
	targets int  // how many of the queries are targets; where the cluster has catalogs, the next one is theirs
	holds   bool // the cluster has catalogs
	kinds   map[relation.Want]bool
	counted map[relation.ID]bool // the roots whose children count
	below   bool                 // something that is no root has changed, see Below
	pending map[int]bool         // queries that have not answered yet
	count   int
	// problems are the types below the targets that may not be read, and were not reported yet.
	problems []render.Problem
	reported map[string]bool // of the relations that are too expensive
}

// queryEvent is an event of a query by its place among all.
type queryEvent struct {
	follow.Event
	query int
}

// quiet is how long changes are collected before they are shown; look is how often ages are shown again on a terminal.
const (
	quiet = 100 * time.Millisecond
	look  = time.Second
)

// Repeat calls once, or with --watch again after each change until the context ends.
func (v *View) Repeat(ctx context.Context, targets []cluster.Target, once func() error) error {
	if !v.Watch {
		return once()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, err := v.follow(ctx, targets)
	if err != nil {
		return err
	}
	v.Live = w
	a := v.App
	tick := make(<-chan time.Time)
	if a.Terminal && v.Output == "" {
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		tick = ticker.C
	}
	var settle, due <-chan time.Time
	shower := v.shower()
	show := func() error {
		if !a.Terminal || v.Printer != nil { // the frame of a terminal shows it
			if err := w.report(); err != nil {
				return err
			}
		}
		err := shower(once)
		if due = nil; !v.next.IsZero() {
			due = time.After(max(v.next.Sub(a.Now()), quiet))
		}
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return exit.With(exit.Interrupted, nil)
		case e := <-w.events:
			if err := w.take(e, a.Now()); err != nil {
				return err
			}
			if len(w.pending) == 0 && settle == nil {
				settle = time.After(quiet)
			}
		case <-settle:
			settle = nil
			if w.widen(ctx); len(w.pending) > 0 {
				continue
			}
			if err := show(); err != nil {
				return err
			}
		case <-due:
			if due = nil; settle == nil {
				settle = time.After(0)
			}
		case <-tick:
			if len(w.pending) == 0 && settle == nil {
				if err := show(); err != nil {
					return err
				}
			}
		}
	}
}

// follow starts to follow the targets.
func (v *View) follow(ctx context.Context, targets []cluster.Target) (*Live, error) {
	if err := v.connect(ctx, targets); err != nil {
		return nil, err
	}
	if err := v.load(relation.NewPacked); err != nil {
		return nil, err
	}
	c := v.Cluster
	v.Walk.Candidates = c.Candidates
	w := &Live{view: v, events: make(chan queryEvent), targets: len(targets), kinds: map[relation.Want]bool{}, pending: map[int]bool{},
		Roots: map[relation.ID]bool{}, counted: map[relation.ID]bool{}}
	var queries []follow.Query
	for _, t := range targets {
		if _, err := c.Kind(t.Type); err != nil {
			return nil, err
		}
		q := follow.Query{Type: t.Type, Name: t.Name, Namespace: c.Namespace}
		if t.Name == "" {
			q.Selector = v.Selector
		}
		queries = append(queries, q)
	}
	if _, err := c.Mapper.RESTMapping(flags.ConditionCatalog); err == nil && v.InCluster() {
		w.holds = true
		queries = append(queries, follow.Query{Type: "conditioncatalogs.v1alpha1.tristate.dev"})
	}
	w.follow(ctx, queries)
	return w, nil
}

// follow follows more queries.
func (w *Live) follow(ctx context.Context, queries []follow.Query) {
	first := w.count
	w.count += len(queries)
	for i := range queries {
		w.pending[first+i] = true
	}
	events := make(chan follow.Event, 1024)
	go follow.Run(ctx, w.view.Cluster.Client, w.view.Cluster.Followed, queries, events)
	go func() {
		for e := range events {
			select {
			case w.events <- queryEvent{e, first + e.Query}:
			case <-ctx.Done():
			}
		}
	}()
}

// take brings the graph up to date.
func (w *Live) take(e queryEvent, now time.Time) error {
	g, isTarget := w.view.Walk.Graph, e.query < w.targets
	switch {
	case w.holds && e.query == w.targets && e.Object != nil:
		if err := w.view.FoundOne(e.Object.Object); err != nil {
			w.view.Cluster.Warn(err.Error())
		}
	case w.holds && e.query == w.targets && e.Gone != "":
		w.view.Gone(e.Gone)
	case e.Object != nil:
		o := relation.FromContent(e.Object.Object)
		g.Put(o)
		if isTarget {
			w.Roots[o.ID] = true
			w.changed(o.ID)
			if delete(w.counted, o.ID); w.view.counts.Of(o.GroupVersionKind(), o.Content) != nil {
				w.counted[o.ID] = true
			}
		}
		w.below = w.below || !isTarget
	case e.Gone != "":
		if e.Mapping == nil {
			return nil
		}
		id := relation.ID{GroupKind: e.Mapping.GroupVersionKind.GroupKind()}
		if namespace, name, ok := strings.Cut(e.Gone, "/"); ok {
			id.Namespace, id.Name = namespace, name
		} else {
			id.Name = e.Gone
		}
		delete(w.Roots, id)
		delete(w.counted, id)
		w.changed(id)
		w.below = w.below || !isTarget
		if !isTarget || !w.follows(id.GroupKind) {
			g.Delete(id)
		}
	default:
		delete(w.pending, e.query)
		w.Stale.Take(e.query, e.State, e.Why, now)
		switch {
		case !isTarget:
		case e.State == follow.Forbidden:
			return exit.With(exit.Unknown, errors.New(e.Why))
		case e.State == follow.NotServed:
			return exit.With(exit.NotFound, errors.New(e.Why))
		}
		if e.State == follow.Forbidden {
			w.view.Cluster.Warn(e.Why)
			p := render.Problem{Reason: string(cluster.Forbidden), Message: e.Why}
			if e.Mapping != nil {
				p.Resource = e.Mapping.Resource.GroupResource().String()
			}
			w.problems = append(w.problems, p)
		}
		if e.State == follow.Served && !isTarget && e.Mapping != nil {
			for want := range w.kinds {
				if want.GroupKind != e.Mapping.GroupVersionKind.GroupKind() {
					continue
				}
				if e.Mapping.Scope.Name() == meta.RESTScopeNameRoot {
					want.Namespace = ""
				}
				g.Cover(want.GroupKind, want.Namespace)
			}
			w.below = true
		}
	}
	return nil
}

func (w *Live) changed(id relation.ID) {
	if w.Changed != nil {
		w.Changed(id)
	}
}

// report reports that the answers are out of date and, in JSON lines, which objects are missing in them.
func (w *Live) report() error {
	a := w.view.App
	lines := slices.Contains([]string{"json", "jsonl", "yaml"}, w.view.Output)
	if lines && len(w.problems) > 0 {
		if err := render.JSONL(a.Out, nil, w.problems...); err != nil {
			return err
		}
		w.problems = nil
	}
	for _, e := range w.view.Walk.Graph.Expensive() {
		text := expensiveText(e)
		if w.reported[text] {
			continue
		}
		if w.reported == nil {
			w.reported = map[string]bool{}
		}
		w.reported[text] = true
		a.Reportf("the answer is incomplete: %s", text)
		if lines {
			p := render.Problem{Reason: "TooExpensive", Resource: e.GroupKind.String(), Name: e.Relation, Message: text}
			if err := render.JSONL(a.Out, nil, p); err != nil {
				return err
			}
		}
	}
	return w.Stale.Report(a, lines)
}

func (w *Live) follows(gk schema.GroupKind) bool {
	for want := range w.kinds {
		if want.GroupKind == gk {
			return true
		}
	}
	return false
}

// Below reports whether an object that is no root has changed since it was asked last.
func (w *Live) Below() bool {
	changed := w.below
	w.below = false
	return changed
}

// widen follows the kinds that the trees lead to and that are not followed yet; without trees those of the children that count.
func (w *Live) widen(ctx context.Context) {
	ids := w.ids()
	if !w.view.Below {
		if ids = slices.Collect(maps.Keys(w.counted)); len(ids) == 0 {
			return
		}
	}
	var queries []follow.Query
	w.view.Walk.Counting = !w.view.Below
	for _, want := range w.view.Walk.Wanted(ids) {
		if w.kinds[want] || w.kinds[relation.Want{GroupKind: want.GroupKind}] {
			continue
		}
		w.kinds[want] = true
		m, err := w.view.Cluster.Mapper.RESTMapping(want.GroupKind)
		if err != nil {
			continue // not served here
		}
		queries = append(queries, follow.Query{Type: m.Resource.Resource + "." + m.Resource.Version + "." + m.Resource.Group, Namespace: want.Namespace})
	}
	if len(queries) > 0 {
		w.follow(ctx, queries)
	}
}

// ids returns the roots in order.
func (w *Live) ids() []relation.ID {
	return slices.SortedFunc(maps.Keys(w.Roots), relation.Compare)
}

// shower returns a function that shows the answer of once: on a terminal in place of the last one, as JSON only the lines that changed,
// otherwise all of it when it changed.
func (v *View) shower() func(once func() error) error {
	a := v.App
	screen, before, last := a.Screen(), map[render.ObjectRef]string{}, ""
	return func(once func() error) error {
		if v.Printer != nil && !v.Below {
			return once() // status itself prints only changes
		}
		var text bytes.Buffer
		out := a.Out
		a.Out = &text
		err := once()
		a.Out = out
		if err != nil {
			return err
		}
		if v.Printer == nil {
			plain := text.String()
			if len(v.Live.Roots) == 0 {
				plain = ""
				if v.Live.Stale.read {
					plain = "nothing is there yet\n"
				}
			}
			if line := v.Live.Stale.Line(a.Now(), a.Terminal); line != "" {
				plain = line + "\n" + plain
			}
			if a.Terminal || plain != last {
				last = plain
				screen.Frame(plain)
			}
			return nil
		}
		now := map[render.ObjectRef]string{}
		var lines bytes.Buffer
		var news, gone []render.Item
		for _, item := range v.items {
			lines.Reset()
			if err := render.JSONL(&lines, []render.Item{item}); err != nil {
				return err
			}
			if now[item.Object] = lines.String(); before[item.Object] != now[item.Object] {
				news = append(news, item)
			}
		}
		for object := range before {
			if _, there := now[object]; !there {
				gone = append(gone, render.Item{Object: object, Verdict: string(verdict.NotFound), Reason: "Deleted", Confidence: string(verdict.FromBuiltin)})
			}
		}
		slices.SortFunc(gone, func(a, b render.Item) int {
			return cmp.Or(cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(a.Object.Name, b.Object.Name))
		})
		before = now
		if news = append(news, gone...); len(news) == 0 {
			return nil
		}
		return v.Printer(out, v.Live.Stale.Stamp(news))
	}
}

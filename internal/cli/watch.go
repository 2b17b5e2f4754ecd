// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/cluster/follow"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// watched is a graph that watches keep up to date, for tree, status and why with --watch. The first queries are the targets; more follow
// for the kinds that the trees of the roots lead to. Nothing is listed again because something changed.
type watched struct {
	view    *view
	events  chan watchedEvent
	targets int  // how many of the queries are targets; where the cluster has catalogs, the next one is theirs
	holds   bool // the cluster has catalogs
	kinds   map[relation.Want]bool
	pending map[int]bool // queries of which nothing is known yet
	count   int
	roots   map[relation.ID]bool
	known   known // what status thinks of the roots
	stale   stale
	// problems are what may not be read below the targets and was not reported yet.
	problems []render.Problem
	reported map[string]bool // of the relations that are too expensive
}

// watchedEvent is an event of a query by its place among all.
type watchedEvent struct {
	follow.Event
	query int
}

// quiet is how long changes are collected before they are shown; look is how often ages are shown again on a terminal.
const (
	quiet = 100 * time.Millisecond
	look  = time.Second
)

// repeat calls once, or with --watch again after each change until the context ends.
func (a *App) repeat(ctx context.Context, v *view, targets []target, once func() error) error {
	if !v.watch {
		return once()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	w, err := a.watched(ctx, v, targets)
	if err != nil {
		return err
	}
	v.live = w
	tick := make(<-chan time.Time)
	if a.Terminal && v.output == "" {
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		tick = ticker.C
	}
	var settle, due <-chan time.Time
	shower := a.shower(v)
	show := func() error {
		if !a.Terminal || v.printer != nil { // the frame of a terminal shows it
			if err := w.report(a); err != nil {
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
			return &exit{ExitInterrupted, nil}
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

// watched starts to follow the targets.
func (a *App) watched(ctx context.Context, v *view, targets []target) (*watched, error) {
	if len(targets) == 0 {
		return nil, usagef("name an object as TYPE/NAME, or read files with -f")
	}
	c, err := a.connect(ctx, &v.clusterFlags)
	if err != nil {
		return nil, err
	}
	v.foundInCluster(ctx, c)
	set, err := v.load()
	if err != nil {
		return nil, err
	}
	v.from, v.set, v.expect = c, set, c.Expect(ctx)
	v.walk = &relation.View{Graph: relation.NewPacked(set), Judge: a.judge(v), Up: v.up, All: v.all, Kin: c.Kin}
	w := &watched{view: v, events: make(chan watchedEvent), targets: len(targets), kinds: map[relation.Want]bool{}, pending: map[int]bool{},
		roots: map[relation.ID]bool{}}
	var queries []follow.Query
	for _, t := range targets {
		if _, err := c.Kind(t.Type); err != nil {
			return nil, err
		}
		q := follow.Query{Type: t.Type, Name: t.Name, Namespace: c.Namespace}
		if t.Name == "" {
			q.Selector = v.selector
		}
		queries = append(queries, q)
	}
	if _, err := c.Mapper.RESTMapping(conditionCatalog); err == nil && !v.noCluster {
		w.holds = true
		queries = append(queries, follow.Query{Type: "conditioncatalogs.v1alpha1.tristate.dev"})
	}
	w.follow(ctx, queries)
	return w, nil
}

// follow follows more queries.
func (w *watched) follow(ctx context.Context, queries []follow.Query) {
	first := w.count
	w.count += len(queries)
	for i := range queries {
		w.pending[first+i] = true
	}
	events := make(chan follow.Event, 1024)
	go follow.Run(ctx, w.view.from.Client, w.view.from.Followed, queries, events)
	go func() {
		for e := range events {
			select {
			case w.events <- watchedEvent{e, first + e.Query}:
			case <-ctx.Done():
			}
		}
	}()
}

// take brings the graph up to date.
func (w *watched) take(e watchedEvent, now time.Time) error {
	g, isTarget := w.view.walk.Graph, e.query < w.targets
	switch {
	case w.holds && e.query == w.targets && e.Object != nil:
		if err := w.view.foundOne(e.Object.Object); err != nil {
			w.view.from.Warn(err.Error())
		}
	case w.holds && e.query == w.targets && e.Gone != "":
		delete(w.view.objects, "ConditionCatalog/"+e.Gone)
		maps.DeleteFunc(w.view.fromCluster, func(_ schema.GroupKind, name string) bool { return name == e.Gone })
	case e.Object != nil:
		o := relation.FromContent(e.Object.Object)
		g.Put(o)
		if isTarget {
			w.roots[o.ID] = true
			w.known.changed(o.ID)
		}
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
		delete(w.roots, id)
		w.known.changed(id)
		if !isTarget || !w.follows(id.GroupKind) {
			g.Delete(id)
		}
	default:
		delete(w.pending, e.query)
		w.stale.take(e.query, e.State, e.Why, now)
		switch {
		case !isTarget:
		case e.State == follow.Forbidden:
			return &exit{ExitUnknown, errors.New(e.Why)}
		case e.State == follow.NotServed:
			return &exit{ExitNotFound, errors.New(e.Why)}
		}
		if e.State == follow.Forbidden {
			w.view.from.Warn(e.Why)
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
		}
	}
	return nil
}

// report reports what the answers themselves do not show: that they are out of date, and, in JSON lines, what is missing in them.
func (w *watched) report(a *App) error {
	lines := slices.Contains([]string{"json", "jsonl", "yaml"}, w.view.output)
	if lines && len(w.problems) > 0 {
		if err := render.JSONL(a.Out, nil, w.problems...); err != nil {
			return err
		}
		w.problems = nil
	}
	for _, e := range w.view.walk.Graph.Expensive() {
		text := expensiveText(e)
		if w.reported[text] {
			continue
		}
		if w.reported == nil {
			w.reported = map[string]bool{}
		}
		w.reported[text] = true
		fmt.Fprintf(a.Err, "%s: the answer is incomplete: %s\n", a.Name, text)
		if lines {
			p := render.Problem{Reason: "TooExpensive", Resource: e.GroupKind.String(), Name: e.Relation, Message: text}
			if err := render.JSONL(a.Out, nil, p); err != nil {
				return err
			}
		}
	}
	return w.stale.report(a, lines)
}

func (w *watched) follows(gk schema.GroupKind) bool {
	for want := range w.kinds {
		if want.GroupKind == gk {
			return true
		}
	}
	return false
}

// widen follows the kinds that the trees lead to and that are not followed yet.
func (w *watched) widen(ctx context.Context) {
	if !w.view.below {
		return
	}
	var queries []follow.Query
	for _, want := range w.view.walk.Wanted(w.ids()) {
		if w.kinds[want] || w.kinds[relation.Want{GroupKind: want.GroupKind}] {
			continue
		}
		w.kinds[want] = true
		m, err := w.view.from.Mapper.RESTMapping(want.GroupKind)
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
func (w *watched) ids() []relation.ID {
	return slices.SortedFunc(maps.Keys(w.roots), relation.Compare)
}

// shower returns what shows an answer: on a terminal in place of the last one, as JSON only the lines that changed, otherwise all of it
// when it changed.
func (a *App) shower(v *view) func(once func() error) error {
	screen, before, last := a.screen(), map[render.ObjectRef]string{}, ""
	return func(once func() error) error {
		if v.printer != nil && !v.below {
			return once() // status says itself what is new
		}
		var text bytes.Buffer
		out := a.Out
		a.Out = &text
		err := once()
		a.Out = out
		if err != nil {
			return err
		}
		if v.printer == nil {
			plain := text.String()
			if len(v.live.roots) == 0 {
				plain = ""
				if v.live.stale.read {
					plain = "nothing is there yet\n"
				}
			}
			if line := v.live.stale.line(a.Now(), a.Terminal); line != "" {
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
		return v.printer(out, v.live.stale.stamp(news))
	}
}

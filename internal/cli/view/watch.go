// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/declare/catalog"

	"github.com/mattn/go-runewidth"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// Live keeps the objects of a view up to date by watches, for --watch. The first queries are the targets; if the cluster has catalogs, the
// next one is theirs.
type Live struct {
	*cluster.Roots
	Stale Staleness

	view    *View
	targets int
	holds   bool         // the cluster has catalogs
	set     *catalog.Set // by which the roots were judged
	// problems are the types below the targets that may not be read, and were not reported yet.
	problems []render.Problem
	reported map[string]bool // of the relations that are too expensive
}

// quiet is how long changes are collected before they are shown; look is how often ages are shown again on a terminal.
const (
	quiet = 100 * time.Millisecond
	look  = time.Second
)

// Repeat calls once, or with --watch again after each change until the context ends.
func (v *View) Repeat(ctx context.Context, targets []cluster.Query, once func() error) error {
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
		if w.round(a.Now()); !w.Cache.Answered() {
			return nil
		}
		if !a.Terminal || v.Printer != nil { // the frame of a terminal shows it
			if err := w.report(); err != nil {
				return err
			}
		}
		err := shower(once)
		due = nil
		if next := relation.Earliest(v.next, w.Next()); !next.IsZero() {
			due = time.After(max(next.Sub(a.Now()), quiet))
		}
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return exit.With(exit.Interrupted, nil)
		case e := <-w.Cache.Events:
			if err := w.take(e, a.Now()); err != nil {
				return err
			}
			if w.Cache.Answered() && settle == nil {
				settle = time.After(quiet)
			}
		case <-settle:
			settle = nil
			if err := show(); err != nil {
				return err
			}
		case <-due:
			if due = nil; settle == nil {
				settle = time.After(0)
			}
		case <-tick:
			if w.Cache.Answered() && settle == nil {
				if err := show(); err != nil {
					return err
				}
			}
		}
	}
}

// follow starts to follow the targets.
func (v *View) follow(ctx context.Context, targets []cluster.Query) (*Live, error) {
	if err := v.connect(ctx, targets); err != nil {
		return nil, err
	}
	if err := v.load(ctx, relation.NewPacked); err != nil {
		return nil, err
	}
	c := v.Cluster
	w := &Live{Roots: cluster.NewRoots(v.Walk), view: v, targets: len(targets)}
	w.Cache = c.Cache(ctx, v.Walk)
	queries := slices.Clone(targets)
	for i := range queries {
		q := &queries[i]
		if _, err := c.Kind(q.Type); err != nil {
			return nil, err
		}
		if q.Namespace = c.Namespace; q.Name == "" {
			q.Selector = v.Selector
		}
	}
	if _, err := c.Served.RESTMapping(flags.ConditionCatalog); err == nil && v.InCluster() {
		w.holds = true
		queries = append(queries, cluster.Query{Type: CatalogType})
	}
	w.Cache.Add(queries...)
	return w, nil
}

// take handles an event. It is an error where a target cannot be followed.
func (w *Live) take(e cluster.Event, now time.Time) error {
	isTarget := e.Query < w.targets
	if w.holds && e.Query == w.targets && w.view.TakeCatalog(e) || !w.Take(e, isTarget) || e.Object != nil || e.Gone.Name != "" {
		return nil
	}
	w.Stale.Take(e.Query, e.State, e.Why, now)
	switch {
	case isTarget && e.State == cluster.Forbidden:
		return exit.With(exit.Unknown, errors.New(e.Why))
	case isTarget && e.State == cluster.NotServed:
		return exit.With(exit.NotFound, errors.New(e.Why))
	case e.State == cluster.Forbidden && !w.Cache.Aside(e.Query):
		w.view.Cluster.Warn(e.Why)
		p := render.Problem{Reason: string(cluster.Forbidden), Message: e.Why}
		if e.Mapping != nil {
			p.Resource = e.Mapping.Resource.GroupResource().String()
		}
		w.problems = append(w.problems, p)
	}
	return nil
}

// report reports that the answers are out of date and, in JSON lines, which objects are missing in them.
func (w *Live) report() error {
	a := w.view.App
	lines := slices.Contains([]string{"json", "jsonl", "yaml"}, w.view.Output)
	if lines && len(w.problems) > 0 {
		if err := render.JSONL(a.Out, slices.Values[[]render.Item](nil), w.problems...); err != nil {
			return err
		}
		w.problems = nil
	}
	for _, e := range w.view.Walk.Graph.Expensive() {
		text := partial.TooExpensive{Expensive: e}.Error()
		if w.reported[text] {
			continue
		}
		if w.reported == nil {
			w.reported = map[string]bool{}
		}
		w.reported[text] = true
		a.Reportf("the answer is incomplete: %s", text)
		if lines {
			p := partial.ProblemOf(partial.TooExpensive{Expensive: e})
			if err := render.JSONL(a.Out, slices.Values[[]render.Item](nil), p); err != nil {
				return err
			}
		}
	}
	return w.Stale.Report(a, lines)
}

// round judges the roots that have to be judged, by the catalogs of now, and follows what their judgements read. Of trees it follows the
// kinds that they lead to.
func (w *Live) round(now time.Time) {
	judge := w.view.Judge()
	if w.view.Set != w.set {
		w.set = w.view.Set
		w.View.Graph.Use(w.set)
		w.Again()
	}
	if !w.view.Below {
		w.Round(now, judge, w.view.Judged)
		return
	}
	w.View.Renew(judge)
	ids := w.IDs()
	if len(ids) == 0 {
		return
	}
	if w.Cache.Widen(ids); w.Cache.Read() {
		w.Cache.Need(ids)
	}
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
			if v.Live.Empty() {
				plain = ""
				if v.Live.Stale.read {
					plain = "nothing is there yet\n"
				}
			}
			if line := v.Live.Stale.Line(a.Now(), a.Terminal); line != "" {
				if a.Terminal { // a line that the terminal wraps is drawn as two, and the next frame leaves one of them
					line = runewidth.Truncate(line, a.Columns()-1, "…")
				}
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
		var changed, gone []render.Item
		for _, item := range v.items {
			lines.Reset()
			if err := render.JSONL(&lines, slices.Values([]render.Item{item})); err != nil {
				return err
			}
			if now[item.Object] = lines.String(); before[item.Object] != now[item.Object] {
				changed = append(changed, item)
			}
		}
		for object := range before {
			if _, there := now[object]; !there {
				gone = append(gone, render.Item{Object: object, Verdict: verdict.NotFound, Reason: "Deleted", Confidence: verdict.Sure})
			}
		}
		slices.SortFunc(gone, func(a, b render.Item) int {
			return cmp.Or(cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Namespace, b.Object.Namespace),
				cmp.Compare(a.Object.Name, b.Object.Name))
		})
		before = now
		if changed = append(changed, gone...); len(changed) == 0 {
			return nil
		}
		return v.Printer(out, slices.Values(v.Live.Stale.Stamp(changed)))
	}
}

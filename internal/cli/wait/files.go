// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/cli/view"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/fleet/cluster"

	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/wait"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// judgeFiles judges the objects of files once: all of them, or those that the queries name.
func judgeFiles(ctx context.Context, a *app.App, o *options, queries []cluster.Query) error {
	selector, err := labels.Parse(o.Selector)
	if err != nil {
		return exit.Usagef("--selector: %w", err)
	}
	objects, err := a.ReadObjects(ctx, o.files)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return exit.With(exit.NotFound, fmt.Errorf("no objects in %s", app.SourceOf(o.files)))
	}
	if err := o.FoundIn(objects); err != nil {
		return err
	}
	groups, clock := map[string]bool{}, &o.clock
	clock.ReadAt = a.Now()
	for _, object := range objects {
		groups[object.Group] = true
		clock.Saw(object.Content)
	}
	a = clock.App(a)
	o.ForGroups(groups)
	set, err := o.Load()
	if err != nil {
		return err
	}
	if len(queries) == 0 {
		queries = []cluster.Query{{Type: "objects", Selector: o.Selector}}
	}
	for i := range queries {
		queries[i].Namespace = o.Namespace
	}
	w := newWaiting(a, o, set, queries, a.Now())
	g := relation.New(set)
	for _, object := range objects {
		g.Put(object)
	}
	w.engine.Expect, w.engine.ReadAt = view.ExpectIn(g), clock.ReadAt
	w.below.View.Graph = g
	now, names := a.Now(), flags.TypeNamesOf(g.All())
	for n, q := range queries {
		at := wait.Target(n)
		all := q.Type == "objects" && len(queries) == 1 && q.Name == ""
		found := slices.DeleteFunc(g.All(), func(x *relation.Object) bool {
			return !all && !names.Match(q, x.ID) || q.Name == "" && !selector.Matches(labels.Set(x.Labels())) ||
				o.Namespace != "" && x.Namespace != "" && x.Namespace != o.Namespace
		})
		if q.Name != "" && len(found) > 1 {
			return exit.Usagef("%s/%s is in several namespaces: choose one with -n", q.Type, q.Name)
		}
		for _, x := range found {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.observe(w.item(at, x.ID), x, now)
		}
		if q.Name != "" && len(found) == 0 {
			w.queries[n].state = wait.Served
			i := w.item(at, relation.ID{})
			i.Kind = names.Kind(q.Type, g.All())
			w.lose(i, now)
		}
		w.queries[n].state = wait.Served
		w.machine.Loaded(at, wait.Served, "", now)
	}
	d := w.machine.Decide(now)
	w.print(now)
	return w.end(ctx, nil, g, d)
}

// addDeclared adds a query for each object that files declare.
func addDeclared(ctx context.Context, a *app.App, o *options, queries []cluster.Query, namespace string) ([]cluster.Query, error) {
	if len(o.files) == 0 {
		return queries, nil
	}
	objects, err := a.ReadObjects(ctx, o.files)
	if err != nil {
		return nil, err
	}
	for _, x := range objects {
		q := cluster.Query{Type: x.Kind, Name: x.Name, Namespace: x.Namespace}
		if gv, err := schema.ParseGroupVersion(x.APIVersion); err == nil {
			q.Type += "." + gv.Version + "." + gv.Group
		}
		if q.Namespace == "" {
			q.Namespace = namespace
		}
		if !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	if len(queries) == 0 {
		return nil, exit.With(exit.NotFound, fmt.Errorf("no objects in %s", app.SourceOf(o.files)))
	}
	if o.goal.Count > len(queries) {
		return nil, fmt.Errorf("--count %d is more than the %s to wait for", o.goal.Count, english.Count(len(queries), "object"))
	}
	return queries, nil
}

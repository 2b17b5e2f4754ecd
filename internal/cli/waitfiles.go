// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/cluster/follow"
	"github.com/tristate/tristate/internal/count"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/wait"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// waitFiles judges the objects of files once: all of them, or those that the queries name.
func (a *App) waitFiles(ctx context.Context, o *waitOptions, queries []follow.Query) error {
	selector, err := labels.Parse(o.selector)
	if err != nil {
		return usagef("--selector: %w", err)
	}
	objects, err := a.readObjects(o.files)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return &exit{ExitNotFound, fmt.Errorf("no objects in %s", sourceOf(o.files))}
	}
	if err := o.foundIn(objects); err != nil {
		return err
	}
	set, err := o.load()
	if err != nil {
		return err
	}
	if len(queries) == 0 {
		queries = []follow.Query{{Type: "objects", Selector: o.selector}}
	}
	for i := range queries {
		queries[i].Namespace = o.namespace
	}
	w := a.newWaiting(o, set, queries, a.Now())
	g := relation.New(set)
	for _, object := range objects {
		g.Put(object)
	}
	w.engine.Expect = expectIn(g)
	now, names := a.Now(), typeNamesOf(g.All())
	for n, q := range queries {
		at, asked := wait.Target(n), target{q.Type, q.Name}
		all := q.Type == "objects" && len(queries) == 1 && q.Name == ""
		found := slices.DeleteFunc(g.All(), func(x *relation.Object) bool {
			return !all && !names.match(asked, x.ID) || q.Name == "" && !selector.Matches(labels.Set(x.Labels())) ||
				o.namespace != "" && x.Namespace != "" && x.Namespace != o.namespace
		})
		if q.Name != "" && len(found) > 1 {
			return usagef("%s/%s is in several namespaces: choose one with -n", q.Type, q.Name)
		}
		for _, x := range found {
			w.observe(w.item(at, x.ID), x, now)
		}
		if q.Name != "" && len(found) == 0 {
			w.queries[n].state = wait.Served
			i := w.item(at, relation.ID{})
			i.Kind = names.kind(q.Type, g.All())
			w.lose(i, now)
		}
		w.queries[n].state = wait.Served
		w.machine.Loaded(at, wait.Served, "", now)
	}
	d := w.machine.Decide(now)
	w.tell(now)
	return w.end(ctx, nil, g, d)
}

// addManifests adds a query for each object that files declare.
func (a *App) addManifests(o *waitOptions, queries []follow.Query, namespace string) ([]follow.Query, error) {
	if len(o.manifests) == 0 {
		return queries, nil
	}
	objects, err := a.readObjects(o.manifests)
	if err != nil {
		return nil, err
	}
	for _, x := range objects {
		q := follow.Query{Type: x.Kind, Name: x.Name, Namespace: x.Namespace}
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
		return nil, &exit{ExitNotFound, fmt.Errorf("no objects in %s", sourceOf(o.manifests))}
	}
	if o.goal.Count > len(queries) {
		return nil, fmt.Errorf("--count %d is more than the %s to wait for", o.goal.Count, count.Of(len(queries), "object"))
	}
	return queries, nil
}

// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Namespaces is the kind of namespaces.
var Namespaces = schema.GroupKind{Kind: "Namespace"}

// everything is the word for every type whose objects have a status.
const everything = "all"

// IsOverview reports whether targets mean everything in a cluster: there are none, or "all".
func IsOverview(targets []cluster.Query) bool {
	return len(targets) == 0 || len(targets) == 1 && targets[0] == cluster.Query{Type: everything}
}

// EveryType returns the types of a cluster whose objects have a status, or have a catalog. Groups that cannot be discovered are added to
// Unread.
func (v *View) EveryType(c *cluster.Cluster) []cluster.Query {
	found, failed := TypesOf(c, v.Set)
	if failed != nil {
		v.Unread = append(v.Unread, failed)
	}
	return found
}

// TypesOf returns the types of a cluster whose objects have a status, or have a catalog of a set. The error is about groups that cannot be
// discovered.
func TypesOf(c *cluster.Cluster, set *catalog.Set) ([]cluster.Query, *cluster.Error) {
	return c.WithStatus(func(gk schema.GroupKind) bool {
		k := set.Kind(gk)
		return k != nil && len(k.Source.Spec.Conditions)+len(k.Source.Spec.Verdicts)+len(k.Source.Spec.States) > 0
	})
}

// Expand replaces targets that mean everything in a cluster by its types.
func (v *View) Expand(ctx context.Context, targets []cluster.Query) ([]cluster.Query, error) {
	if !IsOverview(targets) || len(v.Files) > 0 {
		return targets, nil
	}
	if err := v.Open(ctx, []cluster.Query{{Type: everything}}); err != nil {
		return nil, err
	}
	if targets = v.EveryType(v.Cluster); len(targets) == 0 && len(v.Unread) > 0 {
		return nil, v.Unread[0]
	}
	return targets, nil
}

// ReadEverything reads every object of the cluster, or of the namespace, that has a status, with those below it, and returns their names.
func (v *View) ReadEverything(ctx context.Context) ([]relation.ID, error) {
	targets, err := v.Expand(ctx, nil)
	if err != nil {
		return nil, err
	}
	var ids []relation.ID
	v.Unread = append(v.Unread, v.Cluster.NamedAtOnce(ctx, targets, func(o *relation.Object) {
		v.Walk.Graph.Put(o)
		ids = append(ids, o.ID)
	})...)
	if len(ids) == 0 {
		return nil, cmp.Or(v.Cluster.NamespaceExists(ctx), ctx.Err())
	}
	v.Unread = append(v.Unread, v.Cluster.Related(ctx, v.Walk, ids)...)
	slices.SortFunc(ids, relation.Compare)
	return v.Walk.Tops(ids), ctx.Err()
}

// Counted reads the children that count in the verdicts about some objects of the graph, and nothing else. Errors about children are added
// to Unread. That objects which only decide which children count, or endpoints, may not be read is no error: then the children count, and a
// Service is judged alone.
func (v *View) Counted(ctx context.Context, ids []relation.ID) {
	if len(ids) == 0 {
		return
	}
	v.Walk.Counting = true
	failed := v.Cluster.Related(ctx, v.Walk, ids)
	v.Walk.Counting = false
	aside := map[string]bool{"endpointslices.discovery.k8s.io": true, "services": true} // without them a Service is judged alone
	for _, id := range ids {
		o := v.Walk.Graph.Get(id)
		if o == nil {
			continue
		}
		if counting := v.Walk.Judge(o).Counting; counting != nil {
			for _, l := range counting.Reads() {
				if m, err := v.Cluster.Served.RESTMapping(l.Target); err == nil {
					aside[m.Resource.GroupResource().String()] = true
				}
			}
		}
	}
	v.Unread = append(v.Unread, slices.DeleteFunc(failed, func(err *cluster.Error) bool { return aside[err.Resource] && err.Steady() })...)
}

// AddNamespaced adds the objects of a namespace below it: those with a status that are below no other. With --watch only those that are
// followed already.
func (v *View) AddNamespaced(ctx context.Context, root *relation.Node) error {
	g := v.Walk.Graph
	if v.Cluster != nil && v.Live == nil {
		inside := *v.Cluster
		inside.Namespace = root.Name
		var ids []relation.ID
		failed := inside.NamedAtOnce(ctx, v.EveryType(&inside), func(o *relation.Object) {
			g.Put(o)
			ids = append(ids, o.ID)
		})
		v.Unread = append(v.Unread, failed...)
		if len(ids) > 0 {
			v.Unread = append(v.Unread, inside.Related(ctx, v.Walk, ids)...)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	var ids []relation.ID
	for _, o := range g.All() {
		if o.Namespace == root.Name && (v.All || v.Walk.Judge(o).Reason != "Static") {
			ids = append(ids, o.ID)
		}
	}
	shown := map[relation.ID]bool{}
	for _, child := range root.Children {
		shown[child.ID] = true
	}
	for _, id := range v.Walk.Tops(ids) {
		if !shown[id] {
			child := v.Walk.Build(id)
			child.Edge = "namespace"
			root.Children = append(root.Children, child)
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/cluster"
	"github.com/tristate/tristate/internal/read/relation"
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

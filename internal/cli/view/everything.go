// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/nested"
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

// TypesOf returns the types of a cluster whose objects have a status, or have a catalog of a set. The errors are about groups that cannot
// be discovered.
func TypesOf(c *cluster.Cluster, set *catalog.Set) ([]cluster.Query, []*cluster.Error) {
	return c.WithStatus(func(gk schema.GroupKind) bool {
		k := set.Kind(gk)
		return k != nil && len(k.Source.Spec.Conditions)+len(k.Source.Spec.Verdicts)+len(k.Source.Spec.States) > 0
	})
}

// Expand replaces targets that mean everything in a cluster by its types. silent are the errors of groups whose types cannot be discovered,
// for [partial.Reading.Types].
func (v *View) Expand(ctx context.Context, targets []cluster.Query) (types []cluster.Query, silent []*cluster.Error, err error) {
	if !IsOverview(targets) || len(v.Files) > 0 {
		return targets, nil, nil
	}
	if err := v.Open(ctx, []cluster.Query{{Type: everything}}); err != nil {
		return nil, nil, err
	}
	if types, silent = TypesOf(v.Cluster, v.Set); len(types) == 0 && len(silent) > 0 {
		return nil, nil, silent[0]
	}
	return types, silent, nil
}

// Webhooks is the group of the configurations of webhooks.
const Webhooks = "admissionregistration.k8s.io"

// Hooks returns the types of webhooks, which have no status, and of which a dead one stops the whole cluster; none for one namespace.
func (v *View) Hooks() []cluster.Query {
	if v.Cluster.Namespace != "" {
		return nil
	}
	return []cluster.Query{{Type: "validatingwebhookconfigurations.v1." + Webhooks}, {Type: "mutatingwebhookconfigurations.v1." + Webhooks}}
}

// Stops reports whether an object is a webhook without whose answer the API server refuses requests.
func Stops(o *relation.Object) bool {
	return o.Group == Webhooks && slices.ContainsFunc(nested.Maps(o.Content, "webhooks"), func(w map[string]any) bool {
		return w["failurePolicy"] != "Ignore"
	})
}

// WithoutHooks drops the errors of webhooks: the answer of a user who may not read them is whole without.
func WithoutHooks(failed []*cluster.Error) []*cluster.Error {
	return slices.DeleteFunc(failed, func(e *cluster.Error) bool { return strings.Contains(e.Resource, Webhooks) })
}

// ReadEverything reads every object of the cluster, or of the namespace, that has a status, with those below it, and returns their names.
func (v *View) ReadEverything(ctx context.Context) ([]relation.ID, error) {
	targets, silent, err := v.Expand(ctx, nil)
	if err != nil {
		return nil, err
	}
	var ids []relation.ID
	failed := v.Cluster.NamedAtOnce(ctx, append(targets, v.Hooks()...), func(o *relation.Object) {
		if o.Group == Webhooks && !Stops(o) {
			return
		}
		v.Walk.Graph.Put(o)
		ids = append(ids, o.ID)
	})
	v.Reading.Types(len(ids) > 0, slices.Concat(WithoutHooks(failed), silent)...)
	if len(ids) == 0 {
		return nil, cmp.Or(v.Cluster.NamespaceExists(ctx), ctx.Err())
	}
	v.Reading.Types(true, v.Cluster.Related(ctx, v.Walk, ids)...)
	slices.SortFunc(ids, relation.Compare)
	return v.Walk.Tops(ids), ctx.Err()
}

// Counted reads what the verdicts about some objects of the graph read, and nothing else. A kind that can only explain a verdict and that
// the user may not list is no error.
func (v *View) Counted(ctx context.Context, ids []relation.ID) []*cluster.Error {
	if len(ids) == 0 {
		return nil
	}
	v.Walk.Counting = true
	defer func() { v.Walk.Counting = false }()
	return slices.DeleteFunc(v.Cluster.Related(ctx, v.Walk, ids), func(e *cluster.Error) bool {
		return e.Aside && e.Reason() == cluster.Forbidden
	})
}

// AddNamespaced adds the objects of a namespace below it: those with a status that are below no other. With --watch only those that are
// followed already.
func (v *View) AddNamespaced(ctx context.Context, root *relation.Node) error {
	g := v.Walk.Graph
	if v.Cluster != nil && v.Live == nil {
		inside := *v.Cluster
		inside.Namespace = root.Name
		var ids []relation.ID
		types, silent := TypesOf(&inside, v.Set)
		failed := inside.NamedAtOnce(ctx, types, func(o *relation.Object) {
			g.Put(o)
			ids = append(ids, o.ID)
		})
		v.Reading.Types(len(ids) > 0, slices.Concat(failed, silent)...)
		if len(ids) > 0 {
			v.Reading.Types(true, inside.Related(ctx, v.Walk, ids)...)
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

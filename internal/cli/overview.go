// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// everything is the word for every type whose objects have a status.
const everything = "all"

// isOverview reports whether targets stand for everything in a cluster: none at all, or "all".
func isOverview(targets []target) bool {
	return len(targets) == 0 || len(targets) == 1 && targets[0] == target{Type: everything}
}

// everyType returns the types of a cluster whose objects have a status, or have a catalog. Groups that cannot be discovered are noted in v.
func (a *App) everyType(v *view, c *cluster.Cluster) []target {
	found, failed := c.WithStatus(func(gk schema.GroupKind) bool {
		k := v.set.Kind(gk)
		return k != nil && len(k.Source.Spec.Conditions)+len(k.Source.Spec.Verdicts)+len(k.Source.Spec.States) > 0
	})
	if failed != nil {
		v.unread = append(v.unread, failed)
	}
	out := make([]target, len(found))
	for i, t := range found {
		out[i] = target(t)
	}
	return out
}

// expand replaces "everything" by the types of the cluster, for a watch.
func (a *App) expand(ctx context.Context, v *view, targets []target) ([]target, error) {
	if !isOverview(targets) || len(v.files) > 0 {
		return targets, nil
	}
	c, _, err := a.open(ctx, v, []target{{Type: everything}})
	if err != nil {
		return nil, err
	}
	if targets = a.everyType(v, c); len(targets) == 0 && len(v.unread) > 0 {
		return nil, v.unread[0]
	}
	return targets, nil
}

// readAll judges every object of the cluster that has a status.
func (a *App) readAll(ctx context.Context, v *statusView) error {
	c, _, err := a.open(ctx, &v.view, []target{{Type: everything}})
	if err != nil {
		return err
	}
	targets := a.everyType(&v.view, c)
	if len(targets) == 0 && len(v.unread) > 0 {
		return v.unread[0]
	}
	if c.Namespace != "" { // a namespace that is being deleted explains everything in it
		targets = append(targets, target{"namespaces.v1.", c.Namespace})
	}
	judge, now := a.judge(&v.view), a.Now()
	failed := c.NamedAtOnce(ctx, namesOf(targets), func(o *relation.Object) {
		n := judged(o, judge)
		if c.Namespace != "" && o.GroupKind == namespaceKind && n.Judgement.Fine() {
			return // it was not asked about
		}
		v.take(n, now)
	})
	for _, err := range failed {
		switch {
		case err.Reason() == cluster.Unreachable:
			v.failed = append(v.failed, err)
		case err.Resource == "namespaces": // which the reader of a namespace may often not read
		default:
			v.unread = append(v.unread, err)
		}
	}
	slices.SortStableFunc(v.chosen, func(x, y *relation.Node) int { return relation.Compare(x.ID, y.ID) })
	return ctx.Err()
}

// overview shows what is not well, worst first, and then how many objects of each kind there are.
func (a *App) overview(v *statusView, nodes []*relation.Node) error {
	var bad []*relation.Node
	for _, n := range nodes {
		if !n.Judgement.Fine() {
			bad = append(bad, n)
		}
	}
	byTrouble := &filter{sort: "problems"}
	byTrouble.order(bad)
	o := a.options()
	o.NoHeaders, o.Namespaces, o.OneLine = v.noHeaders, v.clusterFlags.all, v.live != nil
	if len(bad) > 0 {
		if err := render.Table(a.Out, bad, o); err != nil {
			return err
		}
		fmt.Fprintln(a.Out)
	}
	if err := render.Kinds(a.Out, nodes, o); err != nil {
		return err
	}
	if !v.noHeaders {
		fmt.Fprintln(a.Out, render.Totals(nodes))
	}
	return nil
}

// inNamespace puts what is in a namespace below it: the objects with a status that stand below no other. With --watch it is what is
// followed already.
func (a *App) inNamespace(ctx context.Context, v *view, root *relation.Node) error {
	g := v.walk.Graph
	if v.from != nil && v.live == nil {
		inside := *v.from
		inside.Namespace = root.Name
		var ids []relation.ID
		failed := inside.NamedAtOnce(ctx, namesOf(a.everyType(v, &inside)), func(o *relation.Object) {
			g.Put(o)
			ids = append(ids, o.ID)
		})
		v.unread = append(v.unread, failed...)
		if len(ids) > 0 {
			v.unread = append(v.unread, inside.Related(ctx, v.walk, ids)...)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	var ids []relation.ID
	for _, o := range g.All() {
		if o.Namespace == root.Name && (v.all || v.walk.Judge(o).Reason != "Static") {
			ids = append(ids, o.ID)
		}
	}
	shown := map[relation.ID]bool{}
	for _, child := range root.Children {
		shown[child.ID] = true
	}
	for _, id := range v.walk.Tops(ids) {
		if !shown[id] {
			child := v.walk.Build(id)
			child.Edge = "namespace"
			root.Children = append(root.Children, child)
		}
	}
	return nil
}

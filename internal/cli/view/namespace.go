// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"

	"github.com/tristate/tristate/internal/read/relation"
)

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

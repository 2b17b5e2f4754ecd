// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/relation"
)

func (a *App) status() *cobra.Command {
	v := &view{}
	c := &cobra.Command{
		Use:   "status TYPE[/NAME] ...",
		Short: "Judge objects, a line each",
		Long: "Judge objects: what their conditions, fields and generations say, by the catalog of their kind where there is one. With -o wide " +
			"each is followed by its conditions.",
		Example: "  tristate status clusters -A\n  tristate status deploy/web -o wide\n  kubectl get all -o yaml | tristate status -f -",
		RunE: func(c *cobra.Command, args []string) error {
			targets, err := parseTargets(args)
			if err != nil {
				return err
			}
			return a.repeat(c.Context(), v, targets, func() error { return a.runStatus(c.Context(), v, targets) })
		},
	}
	v.add(c, "wide", "json", "jsonl", "yaml")
	return c
}

func (a *App) runStatus(ctx context.Context, v *view, targets []target) error {
	g, ids, err := a.gather(ctx, v, targets)
	if err != nil {
		return err
	}
	judge := a.judge(v)
	nodes := make([]*relation.Node, len(ids))
	for i, id := range ids {
		o := g.Get(id)
		nodes[i] = &relation.Node{ID: id, Object: o, Judgement: judge(o)}
	}
	if done, err := a.show(v, nodes); done || err != nil {
		return firstError(err, v.judged(nodes))
	}
	if v.output != "wide" {
		return firstError(render.Table(a.Out, nodes, a.options(), a.Terminal), v.judged(nodes))
	}
	for _, n := range nodes {
		if err := render.Table(a.Out, []*relation.Node{n}, a.options(), a.Terminal); err != nil {
			return err
		}
		if err := render.Conditions(a.Out, v.set.Kind(n.GroupKind), n.Object, a.options()); err != nil {
			return err
		}
	}
	return v.judged(nodes)
}

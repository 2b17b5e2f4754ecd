// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/relation"
)

// statusView are the options of status.
type statusView struct {
	view
	filter
}

func (a *App) status() *cobra.Command {
	v := &statusView{}
	c := &cobra.Command{
		Use:   "status TYPE[/NAME] ...",
		Short: "Judge objects, a line each",
		Long: "Judge objects: what their conditions, fields and generations say, by the catalog of their kind where there is one. With -o wide " +
			"each is followed by its conditions. Several contexts are asked at once and have a column each.",
		Example: "  tristate status clusters -A --problems-first\n  tristate status deploy/web -o wide\n  kubectl get all -o yaml | tristate status -f -\n" +
			"  tristate status deployments -A --context east --context west --verdict Failed,Degraded --older-than 10m",
		RunE: func(c *cobra.Command, args []string) error {
			targets, err := parseTargets(args)
			if err != nil {
				return err
			}
			if err := v.check(); err != nil {
				return err
			}
			if len(v.contexts) > 1 {
				return a.statusOfMany(c.Context(), v, targets)
			}
			return a.repeat(c.Context(), &v.view, targets, func() error { return a.runStatus(c.Context(), v, targets) })
		},
	}
	v.view.add(c, "table", "wide", "json", "jsonl", "yaml")
	v.filter.add(c.Flags())
	return c
}

// statusNodes gives the objects that are to be shown, in order.
func (a *App) statusNodes(ctx context.Context, v *statusView, targets []target) ([]*relation.Node, error) {
	g, ids, err := a.gather(ctx, &v.view, targets)
	if err != nil {
		return nil, err
	}
	judge, now := a.judge(&v.view), a.Now()
	nodes := []*relation.Node{}
	for _, id := range ids {
		o := g.Get(id)
		if n := (&relation.Node{ID: id, Object: o, Judgement: judge(o)}); v.shows(n.Judgement, now) {
			nodes = append(nodes, n)
		}
	}
	slices.SortStableFunc(nodes, func(x, y *relation.Node) int { return v.compare(x.Judgement, y.Judgement) })
	return nodes, nil
}

func (a *App) runStatus(ctx context.Context, v *statusView, targets []target) error {
	nodes, err := a.statusNodes(ctx, v, targets)
	if err != nil {
		return err
	}
	if done, err := a.show(&v.view, nodes); done || err != nil {
		return firstError(err, v.judged(nodes))
	}
	if v.output != "wide" {
		return firstError(render.Table(a.Out, nodes, a.options(), a.Terminal || v.table), v.judged(nodes))
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

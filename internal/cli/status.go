// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"unique"

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
	nodes, now := []*relation.Node{}, a.Now()
	take := func(n *relation.Node) {
		if v.shows(n.Judgement, now) {
			nodes = append(nodes, n)
		}
		v.look(v.showsAt(n.Judgement, now))
	}
	switch {
	case v.live != nil:
		judge := a.judge(&v.view)
		for _, t := range v.live.known.update(v.walk.Graph, v.live.roots, v.packs.Set(), judge, now) {
			v.look(t.Judgement.NextLook)
			take(t.Node)
		}
	case len(v.files) > 0:
		g, ids, err := a.gatherFiles(&v.view, targets)
		if err != nil {
			return nil, err
		}
		judge := a.judge(&v.view)
		for _, id := range ids {
			take(judged(g.Get(id), judge))
		}
	default:
		c, _, err := a.open(ctx, &v.view, targets)
		if err != nil {
			return nil, err
		}
		judge := a.judge(&v.view)
		if err := c.named(ctx, targets, func(o *relation.Object) {
			n := judged(o, judge)
			if v.output == "wide" {
				n.Object = o
			}
			take(n)
		}); err != nil {
			return nil, err
		}
	}
	if v.sort != "name" {
		slices.SortStableFunc(nodes, func(x, y *relation.Node) int { return v.compare(x.Judgement, y.Judgement) })
	}
	return nodes, nil
}

// judged is an object with what is thought of it, and without its content: there may be very many.
func judged(o *relation.Object, judge func(*relation.Object) relation.Judgement) *relation.Node {
	name, j := *o, judge(o)
	name.Content = nil
	j.Message = unique.Make(j.Message).Value()
	for i := range j.Evidence {
		j.Evidence[i].Path = unique.Make(j.Evidence[i].Path).Value()
	}
	return &relation.Node{ID: o.ID, Object: &name, Judgement: j}
}

func (a *App) runStatus(ctx context.Context, v *statusView, targets []target) error {
	nodes, err := a.statusNodes(ctx, v, targets)
	if err != nil {
		return err
	}
	if v.live != nil && v.output != "" && v.output != "wide" && v.output != "table" {
		for some := range slices.Chunk(v.live.known.news(nodes), 1000) {
			if err := render.JSONL(a.Out, render.Items(some...)); err != nil {
				return err
			}
		}
		return v.judged(nodes)
	}
	if done, err := a.show(&v.view, nodes); done || err != nil {
		return firstError(err, v.judged(nodes))
	}
	if v.output != "wide" {
		return firstError(a.table(v, nodes), v.judged(nodes))
	}
	for _, n := range nodes {
		if n.Object.Content == nil {
			n = &relation.Node{ID: n.ID, Object: v.walk.Graph.Get(n.ID), Judgement: n.Judgement}
		}
		if err := render.Table(a.Out, []*relation.Node{n}, a.options(), a.Terminal); err != nil {
			return err
		}
		if err := render.Conditions(a.Out, v.set.Kind(n.GroupKind), n.Object, a.options()); err != nil {
			return err
		}
	}
	return v.judged(nodes)
}

// table writes a line an object. On a screen that is drawn again and again only what fits is written.
func (a *App) table(v *statusView, nodes []*relation.Node) error {
	more := 0
	if v.live != nil && a.Terminal && a.Height > 0 && len(nodes) > max(a.Height-2, 1) {
		more = len(nodes) - max(a.Height-3, 1)
		nodes = nodes[:len(nodes)-more]
	}
	if err := render.Table(a.Out, nodes, a.options(), a.Terminal || v.table); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(a.Out, "… and %d more; --problems-first shows the worst first\n", more)
	}
	return nil
}

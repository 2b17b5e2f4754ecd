// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"
	"slices"

	"github.com/tristate/tristate/internal/cli/view"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
)

// readAll judges every object of the cluster that has a status.
func (v *Status) readAll(ctx context.Context) error {
	targets, silent, err := v.Expand(ctx, nil)
	if err != nil {
		return err
	}
	c := v.Cluster
	if c.Namespace != "" { // a namespace that is being deleted explains everything in it
		targets = append(targets, cluster.Query{Type: "namespaces.v1.", Name: c.Namespace})
	}
	now := v.App.Now()
	var hooks []*relation.Node
	failed := c.NamedAtOnce(ctx, append(targets, v.Hooks()...), func(o *relation.Object) {
		if o.Group == view.Webhooks {
			if view.Stops(o) {
				v.Walk.Graph.Put(o)
				hooks = append(hooks, assess(o, v.Walk.Judgement))
			}
			return
		}
		n := assess(o, v.Walk.Judgement)
		if c.Namespace != "" && o.GroupKind == view.Namespaces && n.Judgement.Fine() {
			return // it was not asked for
		}
		if !v.counts(n, o) {
			v.take(n, now)
		}
	})
	failed = view.WithoutHooks(failed)
	_, below := v.counted(ctx, now)
	ids := make([]relation.ID, len(hooks))
	for i, n := range hooks {
		ids[i] = n.ID
	}
	if len(ids) > 0 {
		v.Cluster.Related(ctx, v.Walk, ids)
	}
	for _, n := range hooks {
		tree := v.Walk.Build(n.ID)
		n.Judgement = tree.Judgement
		if doubts := relation.Contradictions(tree); len(doubts) > 0 {
			n.Judgement.Below = render.Contradiction(doubts)
		}
		if unhealthy(n) {
			v.take(n, now)
		}
	}
	failed = slices.DeleteFunc(failed, func(err *cluster.Error) bool { // users of one namespace may often not read these
		return c.Namespace != "" && err.Resource == "namespaces" && err.Reason() != cluster.Unreachable
	})
	v.Reading.Types(v.judged > 0, slices.Concat(failed, below, silent)...)
	slices.SortStableFunc(v.chosen, func(x, y *relation.Node) int { return relation.Compare(x.ID, y.ID) })
	return ctx.Err()
}

// unhealthy reports whether an overview has a row for an object. One without a status is only counted.
func unhealthy(n *relation.Node) bool {
	return !n.Judgement.Fine() && !n.Judgement.Silent() || n.Judgement.Below != ""
}

// mostAlike is how many equal objects have rows of their own in an overview. If there are more, they are one row.
const mostAlike = 3

// fold joins objects of one kind with the same verdict, condition, reason and message, their own names aside, in the row of the first.
func fold(nodes []*relation.Node) []*relation.Node {
	alike := map[string][]*relation.Node{}
	for _, n := range nodes {
		alike[relation.Equal(n)] = append(alike[relation.Equal(n)], n)
	}
	var out []*relation.Node
	for _, n := range nodes {
		group := alike[relation.Equal(n)]
		switch {
		case len(group) <= mostAlike:
			out = append(out, n)
		case n == group[0]:
			row := *n
			row.Name += fmt.Sprintf(" and %d more", len(group)-1)
			namespaces := map[string]bool{}
			for _, other := range group {
				namespaces[other.Namespace] = true
			}
			if len(namespaces) > 1 {
				row.Namespace = fmt.Sprintf("(%d namespaces)", len(namespaces))
			}
			out = append(out, &row)
		}
	}
	return out
}

// writeOverview writes the unhealthy objects, worst first and many equal ones in one row, and then how many objects of each kind there are.
func (v *Status) writeOverview(nodes []*relation.Node) error {
	var bad []*relation.Node
	for _, n := range nodes {
		if unhealthy(n) {
			bad = append(bad, n)
		}
	}
	byTrouble := &filter{sort: "problems"}
	byTrouble.order(bad)
	bad = fold(bad)
	a := v.App
	o := a.RenderOptions()
	o.NoHeaders, o.Namespaces, o.OneLine = v.NoHeaders, v.AllNamespaces, true
	if len(bad) > 0 {
		if err := render.Table(a.Out, slices.Values(bad), o); err != nil {
			return err
		}
		fmt.Fprintln(a.Out)
	}
	if err := render.Kinds(a.Out, nodes, o); err != nil {
		return err
	}
	if !v.NoHeaders {
		fmt.Fprintln(a.Out, render.Wrap(render.Totals(slices.Values(nodes)), o))
	}
	return nil
}

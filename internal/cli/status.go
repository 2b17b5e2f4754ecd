// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unique"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
)

// statusView are the options of status.
type statusView struct {
	view
	filter
	chosen    []*relation.Node // what is shown, in order
	overview  bool             // of everything, for people
	judgedAny int              // how many objects were judged, shown or not
}

func (a *App) status() *cobra.Command {
	v := &statusView{}
	c := &cobra.Command{
		Use:   "status [TYPE[/NAME] ...]",
		Short: "Judge objects, a line each; without arguments, an overview",
		Long: "Judge objects: what their conditions, fields and generations say, by the catalog of their kind where there is one. Without arguments: what is not " +
			"well in the namespace (with -A in the cluster), worst first, then how many objects of each kind there are; \"status all\" lists every object. With -o wide " +
			"each is followed by its conditions. Several contexts are asked at once and have a column each.",
		Example: "  tristate status\n  tristate status -A --since 10m\n  tristate status clusters -A --problems-first\n  tristate status deploy/web -o wide\n  kubectl get all -o yaml | tristate status -f -\n" +
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
			if v.overview = len(targets) == 0 && len(v.files) == 0; v.watch {
				if targets, err = a.expand(c.Context(), &v.view, targets); err != nil {
					return err
				}
			}
			return a.repeat(c.Context(), &v.view, targets, func() error { return a.runStatus(c.Context(), v, targets) })
		},
	}
	v.view.add(c, "wide")
	v.filter.add(c.Flags())
	a.completes(c, &v.clusterFlags, &v.files, []string{"wide"})
	return c
}

// statusNodes returns the objects that are to be shown, in order.
func (a *App) statusNodes(ctx context.Context, v *statusView, targets []target) ([]*relation.Node, error) {
	now := a.Now()
	if v.live != nil {
		v.choose(a.judge(&v.view), now)
		return v.chosen, nil
	}
	v.chosen = []*relation.Node{}
	if len(v.files) > 0 {
		g, ids, err := a.gatherFiles(&v.view, targets)
		if err != nil {
			return nil, err
		}
		judge := a.judge(&v.view)
		for _, id := range ids {
			n := judged(g.Get(id), judge)
			n.Judgement.Doubt = v.doubt(n)
			v.take(n, now)
		}
	} else if isOverview(targets) {
		if err := a.readAll(ctx, v); err != nil {
			return nil, err
		}
	} else {
		c, _, err := a.open(ctx, &v.view, targets)
		if err != nil {
			return nil, err
		}
		judge := a.judge(&v.view)
		named := v.strict || !slices.ContainsFunc(targets, func(t target) bool { return t.Name == "" })
		var claiming []*relation.Node
		v.failed = c.Named(ctx, namesOf(targets), func(o *relation.Object) {
			n := judged(o, judge)
			if v.output == "wide" { // which shows more of it
				n.Object = o
			}
			if named && n.Judgement.Verdict == string(verdict.Current) && n.Judgement.Confidence != string(verdict.FromBuiltin) && len(claiming) < mostDoubted {
				v.walk.Graph.Put(o)
				claiming = append(claiming, n)
			}
			v.take(n, now)
		})
		v.doubts(ctx, c, claiming)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	v.order(v.chosen)
	return v.chosen, nil
}

// mostDoubted is of how many objects in a cluster what stands below them is read.
const mostDoubted = 100

// doubts reads what stands below objects that claim to be fine, and says what speaks against them. With --strict it matters what could not be read.
func (v *statusView) doubts(ctx context.Context, c *cluster.Cluster, claiming []*relation.Node) {
	ids := make([]relation.ID, len(claiming))
	for i, n := range claiming {
		ids[i] = n.ID
	}
	if len(ids) == 0 {
		return
	}
	if failed := c.Related(ctx, v.walk, ids); v.strict {
		v.unread = append(v.unread, failed...)
	}
	for _, n := range claiming {
		n.Judgement.Doubt = v.doubt(n)
	}
}

// doubt is what speaks against an object that only claims to be fine, among the objects that were read with it; empty where nothing does.
func (v *statusView) doubt(n *relation.Node) string {
	if n.Judgement.Verdict != "Current" || n.Judgement.Confidence == "builtin" {
		return ""
	}
	if doubts := relation.Doubts(v.walk.Build(n.ID)); len(doubts) > 0 {
		return render.Speaks(doubts)
	}
	return ""
}

// take chooses an object where it is to be shown.
func (v *statusView) take(n *relation.Node, now time.Time) {
	v.judgedAny++
	if v.shows(n.Judgement, now) {
		v.chosen = append(v.chosen, n)
	}
}

// choose chooses again of what is watched, where something has changed.
func (v *statusView) choose(judge func(*relation.Object) relation.Judgement, now time.Time) {
	k := &v.live.known
	thoughts := k.update(v.walk.Graph, v.live.roots, v.packs.Set(), judge, now)
	for _, t := range thoughts {
		v.look(t.Judgement.NextLook)
		v.look(v.showsAt(t.Judgement, now))
	}
	if !k.moved && v.olderThan == 0 {
		return
	}
	k.moved, v.chosen = false, []*relation.Node{}
	for _, t := range thoughts {
		v.take(t.Node, now)
	}
	v.order(v.chosen)
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
	if len(nodes) == 0 && v.judgedAny == 0 {
		if err := a.nothing(ctx, &v.view, targets); err != nil {
			return err
		}
	}
	if v.live != nil && v.printer != nil {
		for some := range slices.Chunk(v.live.known.news(nodes), 1000) {
			if err := v.printer(a.Out, v.live.stale.stamp(render.Items(some...))); err != nil {
				return err
			}
		}
		return a.ended(&v.view, nodes)
	}
	if done, err := a.show(&v.view, nodes); done || err != nil {
		return firstError(err, a.ended(&v.view, nodes))
	}
	switch {
	case len(nodes) == 0 && v.judgedAny == 0:
	case v.overview && v.output == "":
		err = a.overview(v, nodes)
	default:
		err = a.table(v, nodes)
	}
	return firstError(err, a.ended(&v.view, nodes))
}

// table writes a line an object, under a header, and the totals. On a screen that is drawn again and again only what fits is written.
func (a *App) table(v *statusView, nodes []*relation.Node) error {
	all, o := nodes, a.options()
	o.NoHeaders, o.OneLine = v.noHeaders, v.live != nil
	o.Namespaces = v.clusterFlags.all || len(v.files) > 0 && v.namespace == ""
	if rows := max(a.Height-4, 1); v.live != nil && a.Terminal && a.Height > 0 && len(nodes) > rows {
		nodes = nodes[:rows]
	}
	if v.output == "wide" {
		kind := func(n *relation.Node) *catalog.Kind { return v.set.Of(n.Object.GroupVersionKind()) }
		object := func(n *relation.Node) *relation.Object {
			if n.Object.Content == nil {
				return v.walk.Graph.Get(n.ID)
			}
			return n.Object
		}
		if err := render.Wide(a.Out, nodes, kind, object, o); err != nil {
			return err
		}
	} else if err := render.Table(a.Out, nodes, o); err != nil {
		return err
	}
	switch more := len(all) - len(nodes); {
	case more > 0:
		fmt.Fprintf(a.Out, "… and %d more; --problems-first shows the worst first\n%s\n", more, render.Totals(all))
	case len(all) > 1 && !v.noHeaders:
		fmt.Fprintln(a.Out, render.Totals(all))
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"
	"unique"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/view"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
)

// Status judges objects, with a line for each.
type Status struct {
	*view.View
	filter
	chosen    []*relation.Node // the shown objects, in order
	overview  bool             // it shows what is unhealthy, then counts
	judged    int              // how many objects were judged, shown or not
	printed   printed          // with --watch
	unhealthy bool             // an object of a file that is shown is unhealthy
	counting  []*relation.Node // objects whose children count, which are judged when these have been read
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	v := &Status{View: view.New(a, view.Options{})}
	v.Judged = v.printed.judged
	c := &cobra.Command{
		Use:   "status [TYPE[/NAME] ...] [PATH ...]",
		Short: "Judge objects, a line each; without arguments, an overview",
		Long: "Judge objects: what their conditions, fields and generations say, by the catalog of their kind where there is one. Without " +
			"arguments: the unhealthy objects of the namespace (with -A of the cluster), worst first and more than three equal ones in one row, then " +
			"how many objects of each kind there are; \"status all\" lists every object. With -o wide each is followed by its conditions. Several contexts are asked at once and have a column each.",
		Example: "  tristate status\n  tristate status -A --since 10m\n  tristate status clusters -A --sort problems\n  tristate status " +
			"deploy/web -o wide\n  kubectl get all -o yaml | tristate status -f -\n" +
			"  tristate status deployments -A --context east --context west --verdict Failed,Degraded --older-than 10m",
		RunE: func(c *cobra.Command, args []string) error {
			targets, err := flags.ParseTargets(args)
			if err != nil {
				return err
			}
			if err := v.check(); err != nil {
				return err
			}
			if len(v.Contexts) > 1 {
				return v.inContexts(c.Context(), targets)
			}
			if err := v.remember(); err != nil {
				return err
			}
			if v.overview = len(targets) == 0 && len(v.Files) == 0; v.Watch {
				var silent []*cluster.Error
				if targets, silent, err = v.Expand(c.Context(), targets); err != nil {
					return err
				}
				v.Reading.Types(true, silent...)
			}
			return v.Repeat(c.Context(), targets, func() error { return v.run(c.Context(), targets) })
		},
	}
	v.filter.add(c.Flags())
	v.View.Add(c, "wide")                                         // it completes the flags that are there
	_ = c.RegisterFlagCompletionFunc("reason", v.CompleteReasons) // the flag exists
	return c
}

// Read judges objects as status does, and returns them by name; without targets everything that has a status.
func Read(ctx context.Context, v *view.View, targets []cluster.Query) ([]*relation.Node, error) {
	s := &Status{View: v, filter: filter{sort: "name"}}
	if len(v.Files) == 0 {
		return s.nodes(ctx, targets)
	}
	rows, err := s.rows(ctx, targets)
	return slices.Collect(s.whole(rows)), err
}

// nodes returns the objects of a cluster that are to be shown, in order.
func (v *Status) nodes(ctx context.Context, targets []cluster.Query) ([]*relation.Node, error) {
	now := v.App.Now()
	if v.Live != nil {
		v.choose(now)
		return v.chosen, nil
	}
	v.chosen = []*relation.Node{}
	if view.IsOverview(targets) {
		if err := v.readAll(ctx); err != nil {
			return nil, err
		}
	} else {
		if err := v.Open(ctx, targets); err != nil {
			return nil, err
		}
		named := v.Strict || !slices.ContainsFunc(targets, func(t cluster.Query) bool { return t.Name == "" })
		var claiming []*relation.Node
		failed := v.Cluster.Named(ctx, targets, func(o *relation.Object) {
			n := assess(o, v.Walk.Judgement)
			if v.Output == "wide" { // the conditions are shown
				n.Object = o
			}
			if v.counts(n, o) {
				return
			}
			if v.claims(n) && len(claiming) <= mostContradicted {
				v.Walk.Graph.Put(o)
				claiming = append(claiming, n)
			}
			v.take(n, now)
		})
		v.Reading.Add(partial.Asked, failed...)
		counted, failed := v.counted(ctx, now)
		v.Reading.Below(failed...)
		for _, n := range counted {
			if v.claims(n) && len(claiming) <= mostContradicted {
				claiming = append(claiming, n)
			}
		}
		switch {
		case len(claiming) <= mostContradicted:
			v.contradict(ctx, claiming)
		case named:
			v.contradict(ctx, claiming[:mostContradicted])
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	v.order(v.chosen)
	return v.chosen, nil
}

// mostContradicted is the number of healthy objects of a cluster up to which the objects below them are read, to find contradictions. If
// there are more, only those that are named are checked, or any with --strict, and no more than that number.
const mostContradicted = 100

// contradict reads the objects below those that claim to be healthy, and adds those that contradict them. With --strict, objects that could
// not be read are errors.
func (v *Status) contradict(ctx context.Context, claiming []*relation.Node) {
	ids := make([]relation.ID, len(claiming))
	for i, n := range claiming {
		ids[i] = n.ID
	}
	if len(ids) == 0 {
		return
	}
	if failed := v.Cluster.Related(ctx, v.Walk, ids); v.Strict {
		v.Reading.Below(failed...)
	}
	for _, n := range claiming {
		n.Judgement.Below = v.below(n)
	}
}

// below returns in a few words which of the objects below an object that claims to be healthy contradict it; empty if none does.
func (v *Status) below(n *relation.Node) string {
	if v.claims(n) {
		if list := relation.Contradictions(v.Walk.Build(n.ID)); len(list) > 0 {
			return render.Contradiction(list)
		}
	}
	return ""
}

// claims reports whether an object is healthy by its own conditions, and not by rules about its kind.
func (v *Status) claims(n *relation.Node) bool {
	return n.Judgement.Verdict == verdict.Current && !verdict.Builtin(n.Judgement.Rule)
}

// counts postpones an object whose judgement reads others, and reports whether it did.
func (v *Status) counts(n *relation.Node, o *relation.Object) bool {
	if n.Judgement.Counting == nil && !relation.ByEndpoints(o) && !v.Walk.Lacks(o.ID) {
		return false
	}
	v.Walk.Graph.Put(o)
	v.counting = append(v.counting, n)
	return true
}

// counted reads the children of the postponed objects and judges these with them.
func (v *Status) counted(ctx context.Context, now time.Time) ([]*relation.Node, []*cluster.Error) {
	list := v.counting
	v.counting = nil
	ids := make([]relation.ID, len(list))
	for i, n := range list {
		ids[i] = n.ID
	}
	failed := v.Counted(ctx, ids)
	for _, n := range list {
		if o := v.Walk.Graph.Get(n.ID); o != nil {
			n.Judgement = v.Walk.Judgement(o)
		}
		v.take(n, now)
	}
	return list, failed
}

// take adds an object to those that are shown, if the filter chooses it.
func (v *Status) take(n *relation.Node, now time.Time) {
	v.judged++
	if v.shows(n.ID, n.Judgement, now) {
		v.chosen = append(v.chosen, n)
	}
}

// choose chooses again among the objects that are watched, if any has changed.
func (v *Status) choose(now time.Time) {
	p := &v.printed
	entries := p.entries()
	for _, e := range entries {
		v.LookAt(v.showsAt(e.Judgement, now))
	}
	if !p.dirty && v.olderThan == 0 {
		return
	}
	p.dirty, v.chosen = false, []*relation.Node{}
	for _, e := range entries {
		v.take(e.Node, now)
	}
	v.order(v.chosen)
}

// assess returns an object with its judgement, as assessed does.
func assess(o *relation.Object, judge func(*relation.Object) relation.Judgement) *relation.Node {
	return assessed(o, judge(o))
}

// assessed returns an object with a judgement and without its content: there may be very many.
func assessed(o *relation.Object, j relation.Judgement) *relation.Node {
	name := *o
	name.Content = nil
	j.Message = unique.Make(j.Message).Value()
	for i := range j.Evidence {
		j.Evidence[i].Path = unique.Make(j.Evidence[i].Path).Value()
	}
	return &relation.Node{ID: o.ID, Object: &name, Judgement: j}
}

func (v *Status) run(ctx context.Context, targets []cluster.Query) error {
	if len(v.Files) > 0 {
		rows, err := v.rows(ctx, targets)
		if err == nil && v.judged == 0 {
			err = v.Nothing(ctx, targets)
		}
		if err != nil {
			return err
		}
		return cmp.Or(v.ofFiles(rows), v.End(v.unhealthy))
	}
	nodes, err := v.nodes(ctx, targets)
	if err != nil {
		return err
	}
	if len(nodes) == 0 && v.judged == 0 {
		if err := v.Nothing(ctx, targets); err != nil {
			return err
		}
	}
	if v.Live != nil && v.Printer != nil {
		for some := range slices.Chunk(v.printed.changes(nodes), 1000) {
			if err := v.Printer(v.App.Out, slices.Values(v.Live.Stale.Stamp(render.Items(some...)))); err != nil {
				return err
			}
		}
		return v.Ended(nodes)
	}
	if done, err := v.Show(slices.Values(nodes)); done || err != nil {
		return cmp.Or(err, v.Ended(nodes))
	}
	switch {
	case len(nodes) == 0 && v.judged == 0:
	case v.overview && v.Output == "":
		err = v.writeOverview(nodes)
	default:
		err = v.writeTable(len(nodes), slices.Values(nodes))
	}
	if v.overview {
		found := slices.ContainsFunc(nodes, func(n *relation.Node) bool { return !n.Judgement.Silent() && v.Unhealthy(n) })
		return cmp.Or(err, v.End(v.ExitCode && found))
	}
	return cmp.Or(err, v.Ended(nodes))
}

// writeTable writes a line for each of some objects, under a header, and the totals. With --watch on a terminal it writes no more lines
// than fit.
func (v *Status) writeTable(count int, all iter.Seq[*relation.Node]) error {
	a, fit, nodes := v.App, count, all
	o := a.RenderOptions()
	o.NoHeaders, o.OneLine = v.NoHeaders, v.Live != nil || v.Output != "wide"
	o.Namespaces = v.AllNamespaces || len(v.Files) > 0 && v.Namespace == ""
	if rows := max(a.Height-4, 1); v.Live != nil && a.Terminal && a.Height > 0 && count > rows {
		fit, nodes = rows, first(rows, all)
	}
	if v.Output == "wide" {
		kind := func(n *relation.Node) *catalog.Kind { return v.Set.Of(n.Object.GroupVersionKind()) }
		object := func(n *relation.Node) *relation.Object {
			if n.Object.Content == nil {
				return v.Walk.Graph.Get(n.ID)
			}
			return n.Object
		}
		if err := render.Wide(a.Out, nodes, kind, object, o); err != nil {
			return err
		}
	} else if err := render.Table(a.Out, nodes, o); err != nil {
		return err
	}
	switch more := count - fit; {
	case more > 0:
		hint := "; --sort problems shows the worst first"
		if v.sort == "problems" {
			hint = ""
		}
		fmt.Fprintf(a.Out, "… and %d more%s\n%s\n", more, hint, render.Totals(all))
	case count > 1 && !v.NoHeaders && v.Live != nil: // the frame cuts it
		fmt.Fprintln(a.Out, render.Totals(all))
	case count > 1 && !v.NoHeaders:
		fmt.Fprintln(a.Out, render.Wrap(render.Totals(all), o))
	}
	return nil
}

// first returns the first n objects.
func first(n int, all iter.Seq[*relation.Node]) iter.Seq[*relation.Node] {
	return func(yield func(*relation.Node) bool) {
		left := n
		for node := range all {
			if left--; left < 0 || !yield(node) {
				return
			}
		}
	}
}

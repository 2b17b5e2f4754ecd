// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/judge"
	"github.com/tristate/tristate/internal/output"
	"github.com/tristate/tristate/internal/pack"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
)

// view is what tree and status have in common.
type view struct {
	catalogFlags
	clusterFlags
	files    []string
	output   string
	printer  output.Printer // of machine-readable output; nil for tables, trees and pictures
	watch    bool
	exitCode bool
	strict   bool
	noGroup  bool
	below    bool // read what stands below the roots too
	up, all  bool
	engine   string
	collect  bool // leave items to who asked
	explain  bool // say how verdicts came about
	logLines int  // of the containers that explain a verdict
	judging  *verdict.Engine

	noHeaders bool

	set   *catalog.Set
	packs pack.Live // the catalogs that judge, with --watch
	// warned is what was said last of what is wrong with them.
	warned string
	walk   *relation.View
	from   *cluster.Cluster // nil on files
	live   *watched         // nil without --watch
	next   time.Time        // when time alone changes what is thought of an object; zero: never
	// expect says what definitions let one expect of objects; nil before it is known.
	expect func(group, kind string) verdict.Expectation
	// items are what --watch shows next, and what one of several clusters said.
	items []render.Item
	// failed are the targets that could not be read, unread what could not be read below those that could.
	failed, unread []*cluster.Error
	shown          int // how many of unread the answer itself names
	// problems are what could not be read of one of several clusters, for machines.
	problems []render.Problem
}

// add adds the flags. own are the output formats that only this command has.
func (v *view) add(c *cobra.Command, own ...string) {
	outputs := append(slices.Clone(own), output.Formats...)
	v.catalogFlags.add(c.Flags())
	v.clusterFlags.add(c.Flags())
	v.addCluster(c.Flags())
	c.Flags().StringSliceVarP(&v.files, "filename", "f", nil, "read objects from files, directories or - instead of a cluster")
	c.Flags().StringVarP(&v.output, "output", "o", "", "output: "+strings.Join(outputs, ", "))
	c.Flags().BoolVar(&v.noHeaders, "no-headers", false, "leave headers and totals out")
	c.Flags().BoolVarP(&v.watch, "watch", "w", false, "keep showing; with -o json a line for each change")
	c.Flags().BoolVar(&v.exitCode, "exit-code", false, "exit with 1 when an object is unhealthy")
	c.Flags().BoolVar(&v.strict, "strict", false, "like --exit-code, and also exit with 1 when something speaks against an object that claims to be fine")
	c.Flags().BoolVar(&v.noGroup, "no-group", false, "do not join equal siblings in one line")
	c.Flags().StringVar(&v.engine, "engine", "tristate", "engine that judges: tristate, or kstatus, with exactly its answers")
	c.PreRunE = func(*cobra.Command, []string) error {
		if v.engine != "tristate" && v.engine != "kstatus" {
			return usagef("--engine %q: use one of tristate, kstatus", v.engine)
		}
		if err := v.setOutput(own); err != nil {
			return err
		}
		v.exitCode = v.exitCode || v.strict
		if v.watch && len(v.files) > 0 {
			return usagef("--watch needs a cluster, not files")
		}
		return nil
	}
}

// setOutput finds the printer of -o. With --watch each change of a list is a line.
func (v *view) setOutput(own []string) (err error) {
	if v.output == "" || slices.Contains(own, v.output) {
		return nil
	}
	format := v.output
	if v.watch && (format == "json" || format == "yaml") {
		format = "jsonl"
	}
	if v.printer, err = output.NewPrinter(format, v.noHeaders); err != nil {
		return usagef("--output %s: %w; use one of %s", v.output, err, strings.Join(append(slices.Clone(own), output.Formats...), ", "))
	}
	return nil
}

// gather reads the objects and gives the roots that targets name; without targets every object, or every root of a hierarchy.
func (a *App) gather(ctx context.Context, v *view, targets []target) (*relation.Graph, []relation.ID, error) {
	if v.live != nil {
		v.walk.Judge = a.judge(v)
		return v.walk.Graph, v.live.ids(), nil
	}
	if len(v.files) > 0 {
		return a.gatherFiles(v, targets)
	}
	c, g, err := a.open(ctx, v, targets)
	if err != nil {
		return nil, nil, err
	}
	ids, failed := c.Roots(ctx, g, namesOf(targets))
	v.failed = failed
	if len(ids) > 0 {
		v.unread = c.Related(ctx, v.walk, ids)
	}
	return g, ids, ctx.Err()
}

// open connects to the cluster that targets are in, with its catalogs.
func (a *App) open(ctx context.Context, v *view, targets []target) (*cluster.Cluster, *relation.Graph, error) {
	if len(targets) == 0 {
		return nil, nil, usagef("name an object as TYPE/NAME, or read files with -f")
	}
	c, err := a.connect(ctx, &v.clusterFlags)
	if err != nil {
		return nil, nil, err
	}
	v.foundInCluster(ctx, c)
	v.from, v.expect = c, c.Expect(ctx)
	g, err := a.graph(v)
	return c, g, err
}

func (a *App) gatherFiles(v *view, targets []target) (*relation.Graph, []relation.ID, error) {
	objects, err := a.readObjects(v.files)
	if err != nil {
		return nil, nil, err
	}
	if err := v.foundIn(objects); err != nil {
		return nil, nil, err
	}
	g, err := a.graph(v)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range objects {
		g.Put(o)
	}
	v.expect = expectIn(g)
	return filesRoots(g, v, targets)
}

// graph loads the catalogs and makes the graph that is looked at.
func (a *App) graph(v *view) (*relation.Graph, error) {
	set, err := v.load()
	if err != nil {
		return nil, err
	}
	v.set = set
	g := relation.New(set)
	v.walk = &relation.View{Graph: g, Judge: a.judge(v), Up: v.up, All: v.all}
	return g, nil
}

func filesRoots(g *relation.Graph, v *view, targets []target) (*relation.Graph, []relation.ID, error) {
	var ids []relation.ID
	selector, err := labels.Parse(v.selector)
	if err != nil {
		return nil, nil, usagef("--selector: %w", err)
	}
	all := g.All()
	names := typeNamesOf(all)
	for _, o := range all {
		if !selector.Matches(labels.Set(o.Labels())) || v.namespace != "" && o.Namespace != "" && o.Namespace != v.namespace {
			continue
		}
		if len(targets) == 0 || slices.ContainsFunc(targets, func(t target) bool { return names.match(t, o.ID) }) {
			ids = append(ids, o.ID)
		}
	}
	for _, t := range targets {
		if !slices.ContainsFunc(ids, func(id relation.ID) bool { return names.match(t, id) }) {
			v.failed = append(v.failed, notInFiles(t))
		}
	}
	return g, ids, nil
}

// show writes trees or nodes in a machine-readable form; false where the output is for people.
func (a *App) show(v *view, roots []*relation.Node) (bool, error) {
	if v.printer == nil {
		return false, nil
	}
	return a.showItems(v, render.Items(roots...))
}

func (a *App) showItems(v *view, items []render.Item) (bool, error) {
	switch {
	case v.printer == nil:
		return false, nil
	case v.watch, v.collect:
		v.items, v.problems = items, a.problems(v)
		return true, nil
	}
	return true, v.printer(a.Out, items, a.problems(v)...)
}

// judge judges by the catalogs as they are now: with --watch their files may have changed. What is wrong with one is said once, and it
// counts as it was before.
func (a *App) judge(v *view) func(*relation.Object) relation.Judgement {
	set := v.set
	if v.watch {
		if files, err := v.read(); err == nil {
			warning := ""
			if _, err := v.packs.Update(files); err != nil {
				warning = fmt.Sprintf("%s: warning: %v\n", a.Name, err)
			}
			if warning != v.warned {
				fmt.Fprint(a.Err, warning)
				v.warned = warning
			}
			set = v.packs.Set()
		}
	}
	engine, now := pack.Default(set), a.Now()
	if v.engine == "kstatus" {
		engine.Mode = verdict.EngineKstatus
	}
	engine.Expect = func(group, kind string) verdict.Expectation {
		if v.expect == nil {
			return verdict.Expectation{}
		}
		return v.expect(group, kind)
	}
	v.next, v.judging = time.Time{}, engine
	return func(o *relation.Object) relation.Judgement {
		j := judge.Of(engine, o, now)
		v.attribute(o, &j)
		v.look(j.NextLook)
		return j
	}
}

// look remembers the earliest time at which --watch has to look again by itself.
func (v *view) look(at time.Time) {
	if !at.IsZero() && (v.next.IsZero() || at.Before(v.next)) {
		v.next = at
	}
}

// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"iter"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/output"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Options are the flags of commands that show objects.
type Options struct {
	flags.Catalogs
	flags.Connection
	Files     []string
	Output    string         // as it was written
	Printer   output.Printer // of machine-readable output; nil for tables, trees and pictures
	Watch     bool
	ExitCode  bool
	Strict    bool
	NoGroup   bool
	NoHeaders bool
	Engine    string // tristate, kstatus
	Below     bool   // read the objects below the roots too
	Up, All   bool   // see relation.View
}

// View reads and judges objects by its options, for one run of a command, or for one of several contexts.
type View struct {
	Options
	App     *app.App
	Set     *catalog.Set
	Walk    *relation.View
	Cluster *cluster.Cluster // nil on files
	Live    *Live            // nil without --watch
	// Judged is called with --watch, except for trees, for each object that was judged again, and without the object if it is gone.
	Judged func(relation.ID, *relation.Object, relation.Judgement)
	// Reading has the errors of the answer so far. Problems are for machines, of one of several clusters.
	Reading  partial.Reading
	Problems []render.Problem

	engine  *verdict.Engine
	counts  relation.Children
	expect  func(group, kind string) verdict.Expectation // by definitions; nil before they are known
	packs   pack.Live                                    // the catalogs that judge, with --watch
	warned  string                                       // the last warning about them
	next    time.Time                                    // when time alone changes a verdict; zero: never
	collect bool                                         // for one of several contexts: keep items and problems instead of printing them
	items   []render.Item                                // the last answer, with --watch or collect
	clock   FileClock
	doubt   flags.Doubt
}

// New returns a view with options, which [View.Add] completes with flags.
func New(a *app.App, o Options) *View { return &View{App: a, Options: o} }

// Add adds the flags. own are the output formats that only this command has.
func (v *View) Add(c *cobra.Command, own ...string) {
	outputs := append(slices.Clone(own), output.Formats...)
	v.Catalogs.Add(c.Flags())
	v.Connection.Add(c.Flags())
	v.AddTrust(c.Flags())
	v.clock.AddFlag(c.Flags())
	c.Flags().StringSliceVarP(&v.Files, "filename", "f", nil, "read objects from files, directories, - or example:shop instead of a cluster")
	c.Flags().StringVarP(&v.Output, "output", "o", "", "output: "+strings.Join(outputs, ", "))
	c.Flags().BoolVar(&v.NoHeaders, "no-headers", false, "leave headers and totals out")
	c.Flags().BoolVarP(&v.Watch, "watch", "w", false, "keep showing; with -o json a line for each change")
	c.Flags().BoolVar(&v.ExitCode, "exit-code", false, "exit with 1 when an object is unhealthy")
	v.doubt.Add(c.Flags(), "exit code of a healthy object whose verdict is in doubt, with --exit-code")
	c.Flags().BoolVar(&v.Strict, "strict", false, "like --exit-code --doubt fail, and the answer depends on everything that cannot be read")
	c.Flags().BoolVar(&v.NoGroup, "no-group", false, "do not join equal siblings in one line")
	c.Flags().StringVar(&v.Engine, "engine", "tristate", "engine that judges: tristate, or kstatus, with exactly its answers")
	c.PreRunE = func(_ *cobra.Command, args []string) error {
		paths, _ := flags.SplitPaths(args)
		v.Files = append(v.Files, paths...)
		if v.Engine != "tristate" && v.Engine != kstatus.Rule {
			return exit.Usagef("--engine %q: use one of tristate, kstatus", v.Engine)
		}
		if err := v.setPrinter(own); err != nil {
			return err
		}
		if err := v.clock.Check(len(v.Files) > 0); err != nil {
			return err
		}
		if err := v.doubt.Check(); err != nil {
			return err
		}
		v.ExitCode = v.ExitCode || v.Strict
		if v.Watch && len(v.Files) > 0 {
			return exit.Usagef("--watch needs a cluster, not files")
		}
		return nil
	}
	v.Complete(c, v.App, &v.Files, append([]string{}, own...))
}

// setPrinter finds the printer of -o. With --watch each change of a list is a line.
func (v *View) setPrinter(own []string) (err error) {
	if v.Output == "" || slices.Contains(own, v.Output) {
		return nil
	}
	format := v.Output
	if v.Watch && (format == "json" || format == "yaml") {
		format = "jsonl"
	}
	if v.Printer, err = output.NewPrinter(format, v.NoHeaders); err != nil {
		return exit.Usagef("--output %s: %w; use one of %s", v.Output, err, strings.Join(append(slices.Clone(own), output.Formats...), ", "))
	}
	return nil
}

// Answer runs a command that shows trees of the objects that its arguments name: once, with --watch again after each change, or for each of
// several contexts.
func (v *View) Answer(ctx context.Context, args []string, show func(context.Context, *View, []cluster.Query) error) error {
	targets, err := flags.ParseTargets(args)
	if err != nil {
		return err
	}
	if len(v.Contexts) > 1 {
		return v.showContexts(ctx, func(ctx context.Context, v *View) error { return show(ctx, v, targets) })
	}
	return v.Repeat(ctx, targets, func() error { return show(ctx, v, targets) })
}

// Roots reads the objects that targets name, with those below them, and returns their names. Without targets they are the objects of the
// files that stand below no other. If there are none it is an error, or reported.
func (v *View) Roots(ctx context.Context, targets []cluster.Query) ([]relation.ID, error) {
	ids, err := v.read(ctx, targets)
	if err == nil && len(ids) == 0 {
		err = v.Nothing(ctx, targets)
	}
	if err != nil || len(targets) > 0 {
		return ids, err
	}
	return v.Walk.Tops(ids), nil
}

func (v *View) read(ctx context.Context, targets []cluster.Query) ([]relation.ID, error) {
	if v.Live != nil {
		return v.Live.IDs(), nil
	}
	if len(v.Files) > 0 {
		return v.ReadFiles(ctx, targets)
	}
	if err := v.Open(ctx, targets); err != nil {
		return nil, err
	}
	ids, failed := v.Cluster.Roots(ctx, v.Walk.Graph, targets)
	v.Reading.Add(partial.Asked, failed...)
	if len(ids) > 0 {
		v.Reading.Below(v.Cluster.Related(ctx, v.Walk, ids)...)
	}
	return ids, ctx.Err()
}

// Open connects to the cluster, reads its catalogs and makes an empty graph. It is an error if there are no targets.
func (v *View) Open(ctx context.Context, targets []cluster.Query) error {
	err := v.connect(ctx, targets)
	if err == nil {
		err = v.load(ctx, relation.New)
	}
	if err == nil {
		v.Walk.Graph.Partial()
	}
	return err
}

func (v *View) connect(ctx context.Context, targets []cluster.Query) (err error) {
	if len(targets) == 0 {
		return exit.Usagef("name an object as TYPE/NAME, or read files with -f")
	}
	if v.Cluster, err = v.Connect(ctx, v.App); err != nil {
		return err
	}
	v.FoundInCluster(ctx, v.Cluster)
	v.expect = v.Cluster.Expect(ctx, func(err *cluster.Error) { v.Reading.Add(partial.Part, err) })
	return nil
}

// load loads the catalogs and makes the graph.
func (v *View) load(ctx context.Context, graph func(*catalog.Set) *relation.Graph) (err error) {
	if v.Set, err = v.Load(); err != nil {
		return err
	}
	v.Walk = &relation.View{Graph: graph(v.Set), Judge: v.Judge(), Up: v.Up, All: v.All, Still: !v.Watch,
		Stop: func() bool { return ctx.Err() != nil }}
	return nil
}

// A dump of usual size is read and judged in less memory, in bytes. runtimeMemory is what the Go runtime needs besides the heap.
const usualMemory, runtimeMemory = 130 << 20, 16 << 20

// memory returns how many bytes were in use after the last collection, and how many are set aside for what is being decoded: 32 MB or a
// quarter. Each decoded object is packed at once, and to look through packed ones costs little.
func memory() (kept, spare int64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	kept = int64(live[0].Value.Uint64())
	return kept, max(32<<20, kept/4)
}

// ReadFiles reads the objects of the files and returns the names of those that targets name, of all without targets.
func (v *View) ReadFiles(ctx context.Context, targets []cluster.Query) ([]relation.ID, error) {
	var catalogs []*relation.Object
	g := relation.NewFixed(&catalog.Set{})
	g.IndexMembers()
	if v.App.Own {
		debug.SetGCPercent(400) // a dump of usual size is read without much collecting
		debug.SetMemoryLimit(usualMemory)
	}
	read, groups := 0, map[string]bool{}
	v.clock.ReadAt = v.App.Now()
	// A third of many objects, and no rule of ours reads it.
	skip := [][]string{{"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"}}
	if !v.Below { // who wrote which field is a question of causes
		skip = append(skip, []string{"metadata", "managedFields", "fieldsV1"})
	}
	err := v.App.EachObject(ctx, v.Files, func(o *relation.Object) {
		if read++; v.App.Own && read%1000 == 0 {
			// A limit counts what a heap cannot use, too: for a large one the collector would run all the time.
			if kept, spare := memory(); kept+spare+runtimeMemory > usualMemory {
				debug.SetMemoryLimit(math.MaxInt64)
				debug.SetGCPercent(int(100 * spare / kept))
			}
		}
		v.clock.Saw(o.Content)
		groups[o.Group] = true
		if g.Put(o); o.GroupKind == flags.ConditionCatalog {
			catalogs = append(catalogs, o)
		}
	}, skip...)
	if err != nil {
		return nil, err
	}
	v.App = v.clock.App(v.App)
	if kept, spare := memory(); v.App.Own && kept > usualMemory/4 { // trees and causes may need any multiple of that
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(int(min(50, 100*spare/kept)))
	}
	if err := v.FoundIn(catalogs); err != nil {
		return nil, err
	}
	v.ForGroups(groups)
	if err := v.load(ctx, func(set *catalog.Set) *relation.Graph { g.Use(set); return g }); err != nil {
		return nil, err
	}
	v.expect = ExpectIn(g)
	selector, err := labels.Parse(v.Selector)
	if err != nil {
		return nil, exit.Usagef("--selector: %w", err)
	}
	names := flags.TypeNamesOf(g.List(crd.Kind))
	ids := slices.DeleteFunc(g.IDs(schema.GroupKind{}), func(id relation.ID) bool {
		return v.Namespace != "" && id.Namespace != "" && id.Namespace != v.Namespace ||
			!selector.Empty() && !selector.Matches(labels.Set(g.Get(id).Labels())) ||
			len(targets) > 0 && !slices.ContainsFunc(targets, func(t cluster.Query) bool { return names.Match(t, id) })
	})
	for _, t := range targets {
		if !slices.ContainsFunc(ids, func(id relation.ID) bool { return names.Match(t, id) }) {
			v.Reading.Add(partial.Asked, notInFiles(t))
		}
	}
	return ids, nil
}

// Show prints trees or nodes by the printer of -o, if there is one, and reports whether it did: otherwise the output is for people. It
// keeps none of them, as a dump may have very many, and prints when all are there, with what could not be read until then.
func (v *View) Show(roots iter.Seq[*relation.Node]) (bool, error) {
	if v.Printer == nil {
		return false, nil
	}
	items := []render.Item{}
	for root := range roots {
		items = append(items, render.Items(root)...)
	}
	return v.ShowItems(items)
}

// ShowItems is Show for items.
func (v *View) ShowItems(items []render.Item) (bool, error) {
	switch {
	case v.Printer == nil:
		return false, nil
	case v.Watch, v.collect:
		v.items, v.Problems = items, v.AllProblems()
		return true, nil
	}
	return true, v.Print(slices.Values(items))
}

// Print prints items by the printer of -o.
func (v *View) Print(items iter.Seq[render.Item]) error {
	return v.Printer(v.App.Out, items, v.AllProblems()...)
}

// Judge returns a function that judges by the catalogs as they are now: with --watch their files may have changed. An error in one of them
// is reported once, and the former catalogs stay in use.
func (v *View) Judge() func(*relation.Object) relation.Judgement {
	set := v.Set
	if v.Watch {
		set, _ = v.Reload()
	}
	engine, now := pack.Default(set), v.App.Now()
	engine.ReadAt = v.clock.ReadAt
	engine.Expect = func(group, kind string) verdict.Expectation {
		if v.expect == nil {
			return verdict.Expectation{}
		}
		return v.expect(group, kind)
	}
	v.next, v.engine, v.counts = time.Time{}, engine, relation.ChildrenOf(set)
	alone := relation.Judge{Engine: engine, Children: v.counts, Now: now}
	return func(o *relation.Object) relation.Judgement {
		if v.Engine == kstatus.Rule {
			return relation.JudgementOf(kstatus.Engine{}.Judge(o.Content, now))
		}
		j := alone.Of(o)
		v.Attribute(o, &j)
		v.LookAt(j.NextLook)
		if !j.Overdue {
			v.LookAt(j.Due)
		}
		return j
	}
}

// Explain returns how the verdict about an object was reached; nil for a missing object.
func (v *View) Explain(n *relation.Node) *verdict.Explanation {
	if n.Object == nil || v.engine == nil {
		return nil
	}
	if v.Engine == kstatus.Rule {
		return &verdict.Explanation{Rule: kstatus.Rule}
	}
	_, x := v.engine.Explain(n.Object.Content, v.App.Now())
	return &x
}

// LookAt makes --watch show the answer again at a time, at the latest; zero is never.
func (v *View) LookAt(at time.Time) {
	v.next = relation.Earliest(v.next, at)
}

// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"
	"github.com/tristate/tristate/internal/cli/status"
	"github.com/tristate/tristate/internal/cli/view"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/export/consumers"
	"github.com/tristate/tristate/internal/fleet/render"
)

// options are the flags.
type options struct {
	app  *app.App
	argo consumers.Argo
	flags.Catalogs
	flags.Connection
	output    string
	noHeaders bool
	ofStates  bool
	exitCode  bool
}

// Command returns the command.
func Command(a *app.App) *cobra.Command { return CommandWith(a, consumers.Recorded) }

// CommandWith returns the command for a program that can ask Argo CD.
func CommandWith(a *app.App, argo consumers.Argo) *cobra.Command {
	o := &options{app: a, argo: argo}
	c := &cobra.Command{
		Use:   "compare BEFORE AFTER | --consumers KIND|FILE ...",
		Short: "Show which verdicts changed between two dumps, moments or clusters",
		Long: "Show which verdicts changed between two answers about the same objects, worse first. Each of the two is a file or directory " +
			"with objects, a list of verdicts that " +
			"status -o json printed at another moment, or context=NAME: everything with a status in the namespace of that context, in another one " +
			"with -n, in all with -A. With --consumers the arguments are " +
			"kinds, or files with objects or CustomResourceDefinitions; each object, and each state that the catalogs of a kind can reach, is " +
			"shown with what other tools say about it.",
		Example: "  tristate status -A -o json > before.json; upgrade; tristate compare before.json context=prod -A --exit-code\n" +
			"  tristate compare dump-monday/ dump-tuesday/\n  tristate compare context=east context=west -n shop\n" +
			"  tristate compare --consumers ToolPolicy.kars.azure.com\n" +
			"  tristate compare --consumers config/crd/lamps.yaml --catalogs catalogs/ --exit-code",
		Args: func(c *cobra.Command, args []string) error {
			if o.ofStates {
				return nil
			}
			return cobra.ExactArgs(2)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.output != "" && o.output != "json" {
				return exit.Usagef("--output %q: use json", o.output)
			}
			if o.ofStates {
				return o.consumers(args)
			}
			return o.run(c.Context(), args)
		},
	}
	o.Catalogs.Add(c.Flags())
	o.AddServer(c.Flags())
	c.Flags().StringVarP(&o.Namespace, "namespace", "n", "", "namespace (default: that of each context)")
	c.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "every namespace")
	c.Flags().StringVarP(&o.Selector, "selector", "l", "", "label selector")
	c.Flags().StringVarP(&o.output, "output", "o", "", "output: json")
	c.Flags().BoolVar(&o.ofStates, "consumers", false, "compare what Argo CD, kstatus, Helm, Flux and kubectl wait say about each state "+
		"that the catalogs of kinds can reach, in place of two answers")
	c.Flags().BoolVar(&o.noHeaders, "no-headers", false, "leave the header and the totals out")
	c.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when something got worse, or is new and broken")
	_ = c.RegisterFlagCompletionFunc("output", flags.OneOf("json"))
	c.ValidArgsFunction = func(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		out, _ := flags.OneOf(o.ContextNames("context=")...)(c, args, word)
		return out, cobra.ShellCompDirectiveDefault // a path is an argument, too
	}
	return c
}

func (o *options) run(ctx context.Context, args []string) error {
	var lists [2][]render.Item
	var unread [2]func(render.Item) bool
	failed := error(nil)
	var problems []render.Problem
	now := o.app.Now() // one moment for both, so that time alone changes nothing
	a := o.app.At(now)
	for i, source := range args {
		v := view.New(a, view.Options{Catalogs: o.Catalogs, Connection: o.Connection, Engine: "tristate"})
		items, err := verdictsOf(ctx, v, source)
		if err != nil {
			if strings.HasPrefix(err.Error(), source+":") { // it names the file
				return err
			}
			return fmt.Errorf("%s: %w", source, err)
		}
		unread[i] = v.Unseen()
		problems = append(problems, view.ProblemsIn(source, v.AllProblems(), nil)...)
		if err := v.Ended(nil); err != nil && failed == nil {
			failed = err // what could be read is compared
		}
		lists[i] = items
	}
	for i := range lists { // what one side could not read is neither new nor gone
		lists[i] = slices.DeleteFunc(lists[i], func(item render.Item) bool { return unread[0](item) || unread[1](item) })
	}
	changes := changesOf(lists[0], lists[1])
	if err := o.show(changes, problems, len(lists[0]), len(lists[1])); err != nil {
		return err
	}
	if failed == nil && o.exitCode && slices.ContainsFunc(changes, change.bad) {
		return exit.With(exit.Findings, nil)
	}
	return failed
}

// verdictsOf returns one side of the comparison.
func verdictsOf(ctx context.Context, v *view.View, source string) ([]render.Item, error) {
	if name, ok := strings.CutPrefix(source, "context="); ok {
		v.Context, v.Contexts = name, []string{name}
	} else {
		if items, ok := savedVerdicts(source); ok {
			return items, nil
		}
		v.Files = []string{source}
	}
	nodes, err := status.Read(ctx, v, nil)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		if err := v.Nothing(ctx, nil); err != nil {
			return nil, err
		}
	}
	return render.Items(nodes...), nil
}

// maxSaved bounds a file with saved verdicts, in bytes.
const maxSaved = 1 << 30

// savedVerdicts reads what status -o json printed; false for any other file. Of another file only the beginning is read.
func savedVerdicts(file string) ([]render.Item, bool) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head) // a shorter file is no error
	if !bytes.Contains(head[:n], []byte(`"tristate.dev/`)) {
		return nil, false
	}
	var list render.VerdictList
	d := json.NewDecoder(io.LimitReader(io.MultiReader(bytes.NewReader(head[:n]), f), maxSaved))
	if d.Decode(&list) != nil || list.Kind != "VerdictList" {
		return nil, false
	}
	return list.Items, true
}

func (o *options) show(changes []change, problems []render.Problem, before, after int) error {
	if o.output == "json" {
		e := json.NewEncoder(o.app.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		out := map[string]any{"apiVersion": "tristate.dev/v1alpha1", "kind": "VerdictChanges", "items": append([]change{}, changes...),
			"answer": render.NewVerdictList(nil, problems).Answer}
		if len(problems) > 0 {
			out["errors"] = problems
		}
		return e.Encode(out)
	}
	rows := make([]render.ChangeRow, len(changes))
	counts := map[way]int{}
	for i, c := range changes {
		counts[c.Way]++
		rows[i] = render.ChangeRow{Object: c.Object, Way: string(c.Way), Before: c.Before, After: c.After}
		if c.To != nil {
			rows[i].Item = *c.To
		} else {
			rows[i].Item = *c.From
		}
	}
	how := o.app.RenderOptions()
	how.NoHeaders = o.noHeaders
	if err := render.Changes(o.app.Out, rows, how); err != nil || o.noHeaders {
		return err
	}
	_, err := fmt.Fprintf(o.app.Out, "%s before, %d after: %d worse, %d gone, %d changed, %d better, %d new\n",
		english.Count(before, "object"), after,
		counts[worse], counts[gone], counts[changed], counts[better], counts[appeared])
	return err
}

// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/compare"
	"github.com/tristate/tristate/internal/count"
	"github.com/tristate/tristate/internal/render"
)

// compareOptions are those of compare.
type compareOptions struct {
	catalogFlags
	clusterFlags
	output    string
	noHeaders bool
	exitCode  bool
}

func (a *App) compare() *cobra.Command {
	o := &compareOptions{}
	c := &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Show which verdicts changed between two dumps, moments or clusters",
		Long: "Show which verdicts changed between two answers about the same objects, worse first. Each of the two is a file or directory with objects, a list of verdicts that " +
			"status -o json printed at another moment, or context=NAME: everything with a status in the namespace of that context, in another one with -n, in all with -A.",
		Example: "  tristate status -A -o json > before.json; upgrade; tristate compare before.json context=prod -A --exit-code\n" +
			"  tristate compare dump-monday/ dump-tuesday/\n  tristate compare context=east context=west -n shop",
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return a.runCompare(c.Context(), o, args) },
	}
	o.catalogFlags.add(c.Flags())
	o.addConnection(c.Flags())
	c.Flags().StringVarP(&o.namespace, "namespace", "n", "", "namespace (default: that of each context)")
	c.Flags().BoolVarP(&o.clusterFlags.all, "all-namespaces", "A", false, "every namespace")
	c.Flags().StringVarP(&o.selector, "selector", "l", "", "label selector")
	c.Flags().StringVarP(&o.output, "output", "o", "", "output: json")
	c.Flags().BoolVar(&o.noHeaders, "no-headers", false, "leave the header and the totals out")
	c.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when something got worse, or is new and broken")
	_ = c.RegisterFlagCompletionFunc("output", oneOf("json"))
	return c
}

func (a *App) runCompare(ctx context.Context, o *compareOptions, args []string) error {
	if o.output != "" && o.output != "json" {
		return usagef("--output %q: use json", o.output)
	}
	var lists [2][]render.Item
	failed := error(nil)
	for i, source := range args {
		v := &statusView{filter: filter{sort: "name"}, view: view{catalogFlags: o.catalogFlags, clusterFlags: o.clusterFlags, engine: "tristate"}}
		items, err := a.verdictsOf(ctx, v, source)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		if err := a.ended(&v.view, nil); err != nil && failed == nil {
			failed = err // what could be read is compared
		}
		lists[i] = items
	}
	changes := compare.Lists(lists[0], lists[1])
	if err := a.showChanges(o, changes, len(lists[0]), len(lists[1])); err != nil {
		return err
	}
	if failed == nil && o.exitCode && slices.ContainsFunc(changes, compare.Change.Bad) {
		return &exit{ExitFindings, nil}
	}
	return failed
}

// verdictsOf reads one side.
func (a *App) verdictsOf(ctx context.Context, v *statusView, source string) ([]render.Item, error) {
	if name, ok := strings.CutPrefix(source, "context="); ok {
		v.context, v.contexts = name, []string{name}
	} else {
		if items, ok := savedVerdicts(source); ok {
			return items, nil
		}
		v.files = []string{source}
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	nodes, err := a.statusNodes(ctx, v, nil)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		if err := a.nothing(ctx, &v.view, nil); err != nil {
			return nil, err
		}
	}
	return render.Items(nodes...), nil
}

// savedVerdicts reads what status -o json printed; false for any other file.
func savedVerdicts(file string) ([]render.Item, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	var list render.VerdictList
	if json.Unmarshal(data, &list) != nil || list.Kind != "VerdictList" {
		return nil, false
	}
	return list.Items, true
}

func (a *App) showChanges(o *compareOptions, changes []compare.Change, before, after int) error {
	if o.output == "json" {
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		return e.Encode(map[string]any{"apiVersion": "tristate.dev/v1alpha1", "kind": "VerdictChanges", "items": append([]compare.Change{}, changes...)})
	}
	rows := make([]render.ChangeRow, len(changes))
	counts := map[compare.Way]int{}
	for i, c := range changes {
		counts[c.Way]++
		rows[i] = render.ChangeRow{Object: c.Object, Way: string(c.Way), Before: c.Before, After: c.After}
		if c.To != nil {
			rows[i].Item = *c.To
		} else {
			rows[i].Item = *c.From
		}
	}
	options := a.options()
	options.NoHeaders = o.noHeaders
	if err := render.Changes(a.Out, rows, options); err != nil || o.noHeaders {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "%s before, %d after: %d worse, %d gone, %d changed, %d better, %d new\n", count.Of(before, "object"), after,
		counts[compare.Worse], counts[compare.Gone], counts[compare.Changed], counts[compare.Better], counts[compare.Appeared])
	return err
}

// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/cluster"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
)

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	v := view.New(a, view.Options{Below: true})
	c := &cobra.Command{
		Use:   "tree TYPE/NAME [PATH ...]",
		Short: "Show the hierarchy below an object, and why it is not ready",
		Long: "Show an object with everything that its catalog's relations lead to and that it owns, each with its verdict, and the cause " +
			"that explains the top. Equal siblings share a line.",
		Example: "  tristate tree cluster/prod\n  tristate tree cluster/prod -f dump.yaml\n  tristate tree -f dump.yaml        # every object " +
			"that is below no other",
		RunE: func(c *cobra.Command, args []string) error {
			return v.Answer(c.Context(), args, run)
		},
	}
	v.Add(c, "dot", "mermaid")
	c.Flags().BoolVar(&v.Up, "up", false, "show what is above an object: its owners, and the objects that refer to it or select it")
	c.Flags().BoolVar(&v.All, "all", false, "also show objects that are only used, such as configuration and accounts, where nothing is "+
		"wrong with them")
	return c
}

func run(ctx context.Context, v *view.View, targets []cluster.Query) error {
	a := v.App
	ids, err := v.Roots(ctx, targets)
	if err != nil {
		return err
	}
	var failed error
	built := func(yield func(*relation.Node) bool) {
		for _, id := range ids {
			root := v.Walk.Build(id)
			if failed = ctx.Err(); failed != nil {
				return
			}
			if id.GroupKind == view.Namespaces && len(targets) > 0 && !v.Up {
				if failed = v.AddNamespaced(ctx, root); failed != nil {
					return
				}
			}
			if !yield(root) {
				return
			}
		}
	}
	pictures := map[string]func(io.Writer, []*relation.Node) error{"dot": render.Dot, "mermaid": render.Mermaid}
	picture := pictures[v.Output]
	roots := iter.Seq[*relation.Node](built)
	if picture != nil || len(v.Files) == 0 { // what could not be read of a cluster may explain any of them
		all := slices.Collect(roots)
		if failed != nil {
			return failed
		}
		v.Reading.Explain(all...)
		if picture != nil {
			return cmp.Or(picture(a.Out, all), v.Ended(all))
		}
		roots = slices.Values(all)
	}
	unhealthy := false // of files each tree is shown before the next one is built
	roots = each(roots, func(root *relation.Node) { unhealthy = unhealthy || v.ExitCode && v.Unhealthy(root) })
	if done, err := v.Show(roots); done || err != nil {
		return cmp.Or(err, failed, v.End(unhealthy))
	}
	o := v.App.RenderOptions() // of files, as of their time
	o.All, o.NoHeaders, o.OneLine = v.NoGroup, v.NoHeaders, true
	first := true
	for root := range roots {
		if !first {
			fmt.Fprintln(a.Out)
		}
		first = false
		if err := render.Tree(a.Out, root, o); err != nil {
			return err
		}
	}
	return cmp.Or(failed, v.End(unhealthy))
}

// each returns a sequence that calls a function for each of its roots first.
func each(roots iter.Seq[*relation.Node], do func(*relation.Node)) iter.Seq[*relation.Node] {
	return func(yield func(*relation.Node) bool) {
		for root := range roots {
			if do(root); !yield(root) {
				return
			}
		}
	}
}

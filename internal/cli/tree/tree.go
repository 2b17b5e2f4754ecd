// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"cmp"
	"context"
	"fmt"

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
	var roots []*relation.Node
	for _, id := range ids {
		root := v.Walk.Build(id)
		if id.GroupKind == view.Namespaces && len(targets) > 0 && !v.Up {
			if err := v.AddNamespaced(ctx, root); err != nil {
				return err
			}
		}
		roots = append(roots, root)
	}
	v.Reading.Explain(roots...)
	switch v.Output {
	case "dot":
		return cmp.Or(render.Dot(a.Out, roots), v.Ended(roots))
	case "mermaid":
		return cmp.Or(render.Mermaid(a.Out, roots), v.Ended(roots))
	}
	if done, err := v.Show(roots); done || err != nil {
		return cmp.Or(err, v.Ended(roots))
	}
	o := v.App.RenderOptions() // of files, as of their time
	o.All, o.NoHeaders, o.OneLine = v.NoGroup, v.NoHeaders, true
	for i, root := range roots {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		if err := render.Tree(a.Out, root, o); err != nil {
			return err
		}
	}
	return v.Ended(roots)
}

// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"
)

func (a *App) tree() *cobra.Command {
	v := &view{below: true}
	c := &cobra.Command{
		Use:   "tree TYPE/NAME",
		Short: "Show the hierarchy below an object, and why it is not ready",
		Long: "Show an object with everything that its catalog's relations lead to and that it owns, each with its verdict, and the cause " +
			"that explains the top. Equal siblings share a line.",
		Example: "  tristate tree cluster/prod\n  tristate tree cluster/prod -f dump.yaml\n  tristate tree -f dump.yaml        # every object that stands below no other",
		RunE: func(c *cobra.Command, args []string) error {
			targets, err := parseTargets(args)
			if err != nil {
				return err
			}
			if len(v.contexts) > 1 {
				return a.treesOfMany(c.Context(), v, func(ctx context.Context, one *App, v *view) error { return one.runTree(ctx, v, targets) })
			}
			return a.repeat(c.Context(), v, targets, func() error { return a.runTree(c.Context(), v, targets) })
		},
	}
	v.add(c, "dot", "mermaid")
	c.Flags().BoolVar(&v.up, "up", false, "show what is above an object: its owners, and the objects that refer to it or select it")
	c.Flags().BoolVar(&v.all, "all", false, "also show objects that are only used, such as configuration and accounts, where nothing is wrong with them")
	a.completes(c, &v.clusterFlags, &v.files, []string{"dot", "mermaid"})
	return c
}

func (a *App) runTree(ctx context.Context, v *view, targets []target) error {
	_, ids, err := a.gather(ctx, v, targets)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		if err := a.nothing(ctx, v, targets); err != nil {
			return err
		}
	}
	if len(targets) == 0 {
		ids = v.walk.Tops(ids)
	}
	var roots []*relation.Node
	for _, id := range ids {
		root := v.walk.Build(id)
		if id.GroupKind == namespaceKind && len(targets) > 0 && !v.up {
			if err := a.inNamespace(ctx, v, root); err != nil {
				return err
			}
		}
		roots = append(roots, root)
	}
	switch v.output {
	case "dot":
		return firstError(render.Dot(a.Out, roots), a.ended(v, roots))
	case "mermaid":
		return firstError(render.Mermaid(a.Out, roots), a.ended(v, roots))
	}
	if done, err := a.show(v, roots); done || err != nil {
		return firstError(err, a.ended(v, roots))
	}
	o := a.options()
	o.All, o.NoHeaders = v.noGroup, v.noHeaders
	for i, root := range roots {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		if err := render.Tree(a.Out, root, o); err != nil {
			return err
		}
	}
	return a.ended(v, roots)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

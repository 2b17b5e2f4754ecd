// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

// options are those of release.
type options struct {
	flags.Catalogs
	flags.Connection
	manager string
	whole   bool
	dryRun  bool
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "release KIND [KIND ...]",
		Short: "Remove from objects what tristate run wrote",
		Long: "Remove the derived conditions of kinds from their objects, as far as Tristate wrote them: it gives up the fields that it " +
			"applied, and removes those " +
			"that it wrote by merge patch. The managed fields of each object say who wrote what; conditions that another manager holds stay, and " +
			"Tristate owns no part of them any more. Where the API server keeps one " +
			"owner for the whole conditions list, the derived types are removed if Tristate wrote the list last; with --whole in any case.\n\n" +
			"Stop tristate run first, or remove the kind from its management; otherwise it writes them again.",
		Example: "  tristate release Machine.cluster.x-k8s.io --dry-run\n  tristate release Machine Cluster -n default",
		Args:    flags.Some("release: name a kind, as Machine.cluster.x-k8s.io"),
		RunE:    func(c *cobra.Command, args []string) error { return run(c.Context(), a, o, args) },
	}
	o.Catalogs.Add(c.Flags())
	o.Connection.Add(c.Flags())
	c.Flags().StringVar(&o.manager, "manager", apply.Manager, "field manager that wrote the conditions")
	c.Flags().BoolVar(&o.whole, "whole", false, "also from lists with one owner that another manager wrote last")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing: print what would be removed")
	c.ValidArgsFunction = o.CompleteKinds
	return c
}

func run(ctx context.Context, a *app.App, o *options, args []string) error {
	set, err := o.Load()
	if err != nil {
		return err
	}
	_, unknown := flags.DerivedKinds(set, "release", args)
	c, err := o.Connect(ctx, a)
	if err != nil {
		return cmp.Or(unknown, err)
	}
	o.FoundInCluster(ctx, c) // tristate run writes by them too
	if set, err = o.Load(); err != nil {
		return err
	}
	kinds, err := flags.DerivedKinds(set, "release", args)
	if err != nil {
		if failed := c.Answers(ctx); failed != nil {
			return failed
		}
		return err
	}
	c.Namespace = o.Namespace // without the flag every one, whatever the context: a controller writes in all of them
	writer := &apply.Writer{Client: c.Client, Manager: o.manager}
	var objects, left, shared int
	for _, gk := range kinds {
		n, l, s, err := releaseKind(ctx, a, o, c, writer, set.Kind(gk))
		objects, left, shared = objects+n, left+l, shared+s
		if err != nil {
			return err
		}
	}
	verb := "released"
	if o.dryRun {
		verb = "would be released"
	}
	fmt.Fprintf(a.Out, "%s %s", english.Count(objects, "object"), verb)
	if shared > 0 {
		fmt.Fprintf(a.Out, ", %d given up: the conditions stay, as another manager holds them too", shared)
	}
	if left > 0 {
		fmt.Fprintf(a.Out, ", %d with conditions that another manager holds", left)
	}
	fmt.Fprintln(a.Out)
	return nil
}

func releaseKind(ctx context.Context, a *app.App, o *options, c *cluster.Cluster, writer *apply.Writer, k *catalog.Kind) (objects, left,
	shared int, err error) {
	m, err := c.Served.RESTMapping(k.For, k.Written()...)
	if err != nil {
		if m, err = c.Served.RESTMapping(k.For); meta.IsNoMatchError(err) {
			return 0, 0, 0, exit.With(exit.NotFound, fmt.Errorf("release %s: the server has no such kind", k.For))
		} else if err != nil {
			return 0, 0, 0, fmt.Errorf("release %s: %w", k.For, err)
		}
	}
	listMap, err := listIsMap(ctx, c, m, k.Path)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("release %s: read its definition: %w", k.For, err)
	}
	target := apply.Target{Resource: m.Resource, Kind: k.For.Kind, Namespaced: m.Scope.Name() == meta.RESTScopeNameNamespace,
		ListMap: listMap, Path: k.Path, Own: k.Derived}
	pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		options.LabelSelector = o.Selector
		list, err := c.Resource(m).List(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("release %s: %w", k.For, err)
		}
		return list, nil
	}))
	err = pages.EachListItem(ctx, metav1.ListOptions{}, func(item runtime.Object) error {
		u, _ := item.(*unstructured.Unstructured) // as a dynamic client returns them
		out, err := writer.Withdraw(ctx, target, u, o.whole, o.dryRun)
		if err != nil {
			return fmt.Errorf("release %s: %w", nameOf(u), err)
		}
		if len(out.Removed) > 0 {
			objects++
			fmt.Fprintf(a.Out, "%s: %s\n", nameOf(u), strings.Join(out.Removed, ", "))
		}
		if len(out.Shared) > 0 {
			shared++
			fmt.Fprintf(a.Out, "%s: %s given up: %s holds it too\n", nameOf(u), strings.Join(out.Shared, ", "), out.Holder)
		}
		if len(out.Left) > 0 && out.Holder != "" {
			left++
			fmt.Fprintf(a.Out, "%s: %s stays, %s holds it\n", nameOf(u), strings.Join(out.Left, ", "), out.Holder)
		}
		return nil
	})
	return objects, left, shared, err
}

// listIsMap reports whether the API server merges the conditions list of a kind by type.
func listIsMap(ctx context.Context, c *cluster.Cluster, m *meta.RESTMapping, path []string) (bool, error) {
	content, err := c.Client.Resource(crd.Resource).Get(ctx, m.Resource.Resource+"."+m.Resource.Group, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	d, err := crd.Read(content.Object)
	if err != nil {
		return false, err
	}
	return d.ListIsMap(m.Resource.Version, path), nil
}

func nameOf(u *unstructured.Unstructured) string {
	if ns := u.GetNamespace(); ns != "" {
		return ns + "/" + u.GetKind() + "/" + u.GetName()
	}
	return u.GetKind() + "/" + u.GetName()
}

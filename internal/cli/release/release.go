// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"strings"

	"github.com/tristate/tristate/internal/crd"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/count"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
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
		Long: "Remove the derived conditions of kinds from their objects, as far as Tristate wrote them: it gives up the fields that it applied, and removes those " +
			"that it wrote by merge patch. The managed fields of each object say who wrote what; conditions that another manager holds stay. Where the API server keeps one " +
			"owner for the whole conditions list, the derived types are removed if Tristate wrote the list last; with --whole in any case.\n\n" +
			"Stop tristate run first, or remove the kind from its management; otherwise it writes them again.",
		Example: "  tristate release Machine.cluster.x-k8s.io --dry-run\n  tristate release Machine Cluster -n default",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return run(c.Context(), a, o, args) },
	}
	o.Catalogs.Add(c.Flags())
	o.Connection.Add(c.Flags())
	c.Flags().StringVar(&o.manager, "manager", apply.Manager, "field manager that wrote the conditions")
	c.Flags().BoolVar(&o.whole, "whole", false, "also from lists with one owner that another manager wrote last")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "write nothing: print what would be removed")
	return c
}

func run(ctx context.Context, a *app.App, o *options, args []string) error {
	set, err := o.Load()
	if err != nil {
		return err
	}
	kinds, err := flags.DerivedKinds(set, "release", args)
	if err != nil {
		return err
	}
	config, namespace, err := o.Config()
	if err != nil {
		return err
	}
	if o.Namespace == "" {
		namespace = "" // a controller knows no namespaces: it wrote in all of them
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	cl := &releasing{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco)), namespace: namespace}
	writer := &apply.Writer{Client: client, Manager: o.manager}
	objects, left := 0, 0
	for _, gk := range kinds {
		n, l, err := releaseKind(ctx, a, o, cl, writer, set.Kind(gk))
		objects, left = objects+n, left+l
		if err != nil {
			return err
		}
	}
	verb := "released"
	if o.dryRun {
		verb = "would be released"
	}
	fmt.Fprintf(a.Out, "%s %s", count.Of(objects, "object"), verb)
	if left > 0 {
		fmt.Fprintf(a.Out, ", %d with conditions that another manager holds", left)
	}
	fmt.Fprintln(a.Out)
	return nil
}

func releaseKind(ctx context.Context, a *app.App, o *options, cl *releasing, writer *apply.Writer, k *catalog.Kind) (objects, left int, err error) {
	m, err := cl.mapper.RESTMapping(k.For, k.Versions...)
	if err != nil {
		if m, err = cl.mapper.RESTMapping(k.For); meta.IsNoMatchError(err) {
			return 0, 0, exit.With(exit.NotFound, fmt.Errorf("release %s: the server has no such kind", k.For))
		} else if err != nil {
			return 0, 0, fmt.Errorf("release %s: %w", k.For, err)
		}
	}
	listMap, err := listIsMap(ctx, cl, m, k.Path)
	if err != nil {
		return 0, 0, fmt.Errorf("release %s: read its definition: %w", k.For, err)
	}
	target := apply.Target{Resource: m.Resource, Kind: k.For.Kind, Namespaced: m.Scope.Name() == meta.RESTScopeNameNamespace,
		ListMap: listMap, Path: k.Path, Own: k.Derived}
	options := metav1.ListOptions{Limit: 500, LabelSelector: o.Selector}
	for {
		page, err := cl.resource(m).List(ctx, options)
		if err != nil {
			return objects, left, fmt.Errorf("release %s: %w", k.For, err)
		}
		for i := range page.Items {
			out, err := writer.Withdraw(ctx, target, &page.Items[i], o.whole, o.dryRun)
			if err != nil {
				return objects, left, fmt.Errorf("release %s: %w", nameOf(&page.Items[i]), err)
			}
			if len(out.Removed) > 0 {
				objects++
				fmt.Fprintf(a.Out, "%s: %s\n", nameOf(&page.Items[i]), strings.Join(out.Removed, ", "))
			}
			if len(out.Left) > 0 && out.Holder != "" {
				left++
				fmt.Fprintf(a.Out, "%s: %s stays, %s holds it\n", nameOf(&page.Items[i]), strings.Join(out.Left, ", "), out.Holder)
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return objects, left, nil
		}
	}
}

// releasing is where conditions are taken out.
type releasing struct {
	client    dynamic.Interface
	mapper    meta.RESTMapper
	namespace string // empty: every one
}

func (r *releasing) resource(m *meta.RESTMapping) dynamic.ResourceInterface {
	if m.Scope.Name() == meta.RESTScopeNameNamespace && r.namespace != "" {
		return r.client.Resource(m.Resource).Namespace(r.namespace)
	}
	return r.client.Resource(m.Resource)
}

// listIsMap reports whether the API server merges the conditions list of a kind by type.
func listIsMap(ctx context.Context, cl *releasing, m *meta.RESTMapping, path []string) (bool, error) {
	content, err := cl.client.Resource(crd.Resource).Get(ctx, m.Resource.Resource+"."+m.Resource.Group, metav1.GetOptions{})
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

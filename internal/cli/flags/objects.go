// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ConditionCatalog is the kind of the catalogs of a cluster.
var ConditionCatalog = schema.GroupKind{Group: "tristate.dev", Kind: "ConditionCatalog"}

// found adds a ConditionCatalog object: it judges like a file of --catalogs, which precedes it.
func (f *Catalogs) found(content map[string]any) error {
	source, err := catalog.FromObject(content)
	if err != nil {
		return fmt.Errorf("catalog %s: %w", relation.FromContent(content).Name, err)
	}
	data, err := source.YAML()
	if err != nil {
		return err
	}
	if f.objects == nil {
		f.objects = map[string][]byte{}
	}
	f.objects["ConditionCatalog/"+source.Metadata.Name] = data
	return nil
}

// FoundIn adds the catalogs among objects that were read from files.
func (f *Catalogs) FoundIn(objects []*relation.Object) error {
	for _, o := range objects {
		if o.GroupKind == ConditionCatalog {
			if err := f.found(o.Content); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddTrust adds the flags that limit which catalogs of a cluster judge.
func (f *Catalogs) AddTrust(flags *pflag.FlagSet) {
	flags.BoolVar(&f.noCluster, "no-cluster-catalogs", false, "leave out the ConditionCatalog objects of the cluster")
	flags.BoolVar(&f.trustCluster, "trust-cluster-catalogs", false, "let the ConditionCatalog objects of the cluster judge built-in kinds "+
		"too, such as Deployment")
}

// FoundInCluster adds the catalogs of a cluster, if it has any. An error in one of them is a warning.
func (f *Catalogs) FoundInCluster(ctx context.Context, c *cluster.Cluster) {
	if f.noCluster {
		return
	}
	m, err := c.Served.RESTMapping(ConditionCatalog)
	if err != nil {
		return // not served here, or nothing is
	}
	failed := c.List(ctx, m, "", func(o *relation.Object) {
		if err := f.FoundOne(o.Content); err != nil {
			c.Warn(err.Error())
		}
	})
	if failed != nil && ctx.Err() == nil {
		c.Warn(failed.Error())
	}
}

// FoundOne adds one catalog of a cluster. Whoever may write such an object decides verdicts for everybody who reads them, so one that
// cannot be loaded is left out alone, and one that judges a built-in kind is only added if the user trusts it.
func (f *Catalogs) FoundOne(content map[string]any) error {
	source, err := catalog.FromObject(content)
	if err != nil {
		return fmt.Errorf("catalog %s of the cluster is left out: %w", relation.FromContent(content).Name, err)
	}
	judges := len(source.Spec.Conditions)+len(source.Spec.States)+len(source.Spec.Verdicts) > 0
	for _, gk := range source.Spec.For.All() {
		if (judges || source.Spec.Children != nil || len(source.Spec.Tree) > 0) && catalog.OfKubernetes(gk.Group) && !f.trustCluster {
			return fmt.Errorf("catalog %s of the cluster is left out: it judges %s, a built-in kind; --trust-cluster-catalogs accepts it",
				source.Metadata.Name, gk)
		}
	}
	data, err := source.YAML()
	if err == nil {
		_, err = catalog.Load(map[string][]byte{"ConditionCatalog/" + source.Metadata.Name: data})
	}
	if err != nil {
		return fmt.Errorf("catalog %s of the cluster is left out: %w", source.Metadata.Name, err)
	}
	if f.fromCluster == nil {
		f.fromCluster = map[schema.GroupKind]string{}
	}
	for _, gk := range source.Spec.For.All() {
		if judges {
			f.fromCluster[gk] = source.Metadata.Name
		}
	}
	return f.found(content)
}

// Attribute adds to the message of a judgement which catalog of the cluster decided it, if one did.
func (f *Catalogs) Attribute(o *relation.Object, j *relation.Judgement) {
	name := f.fromCluster[o.GroupKind]
	if name == "" || !verdict.Declared(j.Rule) || f.noCluster {
		return
	}
	if f.decided == nil {
		f.decided = map[string]bool{}
	}
	f.decided[name] = true
	j.Message = strings.TrimSpace(fmt.Sprintf("%s (by catalog %s of the cluster)", j.Message, name))
}

// ReportDecided reports which catalogs of the cluster decided verdicts since the last call: tables have no message for healthy objects.
func (f *Catalogs) ReportDecided(a *app.App) {
	if len(f.decided) == 0 {
		return
	}
	a.Reportf("verdicts by catalogs of the cluster: %s (--no-cluster-catalogs leaves them out)",
		strings.Join(slices.Sorted(maps.Keys(f.decided)), ", "))
	f.decided = nil
}

// InCluster reports whether the catalogs of a cluster are used.
func (f *Catalogs) InCluster() bool { return !f.noCluster }

// Gone removes a catalog of the cluster that was deleted.
func (f *Catalogs) Gone(name string) {
	delete(f.objects, "ConditionCatalog/"+name)
	maps.DeleteFunc(f.fromCluster, func(_ schema.GroupKind, by string) bool { return by == name })
}

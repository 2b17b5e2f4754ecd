// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// conditionCatalog is the kind of catalogs that a cluster holds.
var conditionCatalog = schema.GroupKind{Group: "tristate.dev", Kind: "ConditionCatalog"}

// found takes a ConditionCatalog object: it judges like a file of --catalogs, which goes before it.
func (f *catalogFlags) found(content map[string]any) error {
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

// foundIn takes the catalogs among objects that were read from files.
func (f *catalogFlags) foundIn(objects []*relation.Object) error {
	for _, o := range objects {
		if o.GroupKind == conditionCatalog {
			if err := f.found(o.Content); err != nil {
				return err
			}
		}
	}
	return nil
}

// addCluster adds the flags that say how far the catalogs of a cluster are trusted.
func (f *catalogFlags) addCluster(flags *pflag.FlagSet) {
	flags.BoolVar(&f.noCluster, "no-cluster-catalogs", false, "leave out the ConditionCatalog objects of the cluster")
	flags.BoolVar(&f.trustCluster, "trust-cluster-catalogs", false, "let the ConditionCatalog objects of the cluster judge built-in kinds too, such as Deployment")
}

// foundInCluster takes the catalogs of a cluster, if it has any. What is wrong with one is a warning.
func (f *catalogFlags) foundInCluster(ctx context.Context, c *cluster.Cluster) {
	if f.noCluster {
		return
	}
	m, err := c.Mapper.RESTMapping(conditionCatalog)
	if err != nil {
		return // not served here, or nothing is
	}
	failed := c.List(ctx, m, "", func(o *relation.Object) {
		if err := f.foundOne(o.Content); err != nil {
			c.Warn(err.Error())
		}
	})
	if failed != nil && ctx.Err() == nil {
		c.Warn(failed.Error())
	}
}

// foundOne takes one catalog of a cluster. Whoever may write such an object decides verdicts for everybody who looks, so one that cannot be
// loaded is left out alone, and one that judges a built-in kind is only taken where the user trusts it.
func (f *catalogFlags) foundOne(content map[string]any) error {
	source, err := catalog.FromObject(content)
	if err != nil {
		return fmt.Errorf("catalog %s of the cluster is left out: %w", relation.FromContent(content).Name, err)
	}
	judges := len(source.Spec.Conditions)+len(source.Spec.States)+len(source.Spec.Verdicts) > 0
	for _, gk := range source.Spec.For.All() {
		if judges && builtIn(gk) && !f.trustCluster {
			return fmt.Errorf("catalog %s of the cluster is left out: it judges %s, a built-in kind; --trust-cluster-catalogs accepts it", source.Metadata.Name, gk)
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

// builtIn reports whether a kind belongs to Kubernetes itself: its group has no domain, or one that is reserved for Kubernetes.
func builtIn(gk schema.GroupKind) bool {
	return !strings.Contains(gk.Group, ".") || strings.HasSuffix(gk.Group, ".k8s.io") && !strings.HasSuffix(gk.Group, ".x-k8s.io")
}

// attribute says in a judgement that a catalog of the cluster decided it.
func (f *catalogFlags) attribute(o *relation.Object, j *relation.Judgement) {
	name := f.fromCluster[o.GroupKind]
	if name == "" || j.Confidence != string(verdict.FromCatalog) || f.noCluster {
		return
	}
	if f.decided == nil {
		f.decided = map[string]bool{}
	}
	f.decided[name] = true
	j.Message = strings.TrimSpace(fmt.Sprintf("%s (by catalog %s of the cluster)", j.Message, name))
}

// note writes which catalogs of the cluster decided verdicts, once: tables have no message for an object that is well.
func (f *catalogFlags) note(a *App) {
	if len(f.decided) == 0 {
		return
	}
	fmt.Fprintf(a.Err, "%s: verdicts by catalogs of the cluster: %s (--no-cluster-catalogs leaves them out)\n", a.Name,
		strings.Join(slices.Sorted(maps.Keys(f.decided)), ", "))
	f.decided = nil
}

// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/relation"
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

// foundInCluster takes the catalogs of a cluster, if it has any. What is wrong with one is a warning.
func (f *catalogFlags) foundInCluster(ctx context.Context, c *cluster.Cluster) {
	m, err := c.Mapper.RESTMapping(conditionCatalog)
	if err != nil {
		return // not served here, or nothing is
	}
	failed := c.List(ctx, m, "", func(o *relation.Object) {
		if err := f.found(o.Content); err != nil {
			c.Warn(err.Error())
		}
	})
	if failed != nil && ctx.Err() == nil {
		c.Warn(failed.Error())
	}
}

// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ExpectIn returns what the definitions among objects promise of the objects of their kinds, for files that hold them too.
func ExpectIn(g *relation.Graph) func(group, kind string) verdict.Expectation {
	type kindOf struct{ group, kind string }
	known := map[kindOf]verdict.Expectation{}
	for _, o := range g.List(schema.GroupKind{Group: cluster.Definitions.Group, Kind: "CustomResourceDefinition"}) {
		spec, _ := o.Content["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, _ := spec["group"].(string)
		kind, _ := names["kind"].(string)
		known[kindOf{group, kind}] = verdict.ExpectationFromCRD(o.Content, "")
	}
	return func(group, kind string) verdict.Expectation { return known[kindOf{group, kind}] }
}

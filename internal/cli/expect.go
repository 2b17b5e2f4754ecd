// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/tristate/tristate/internal/cluster"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// expectIn returns what the definitions among objects let one expect, for files that hold them too.
func expectIn(g *relation.Graph) func(group, kind string) verdict.Expectation {
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

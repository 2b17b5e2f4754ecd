// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ExpectIn returns what the definitions among objects promise of the objects of their kinds, for files that hold them too.
func ExpectIn(g *relation.Graph) func(group, kind string) verdict.Expectation {
	known := map[schema.GroupKind]verdict.Expectation{}
	for _, o := range g.List(crd.Kind) {
		if d, err := crd.Read(o.Content); err == nil {
			known[d.GroupKind()] = verdict.ExpectationOf(d.StatusSchema(""))
		}
	}
	return func(group, kind string) verdict.Expectation { return known[schema.GroupKind{Group: group, Kind: kind}] }
}

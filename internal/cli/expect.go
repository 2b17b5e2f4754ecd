// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"strings"
	"sync"

	"github.com/tristate/tristate/relation"
	"github.com/tristate/tristate/verdict"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// expect gives what definitions let one expect of objects. Each is read once, when it is first needed; where it may not be, nothing is
// expected.
func (c *cluster) expect(ctx context.Context) func(group, kind string) verdict.Expectation {
	var mu sync.Mutex
	known := map[schema.GroupKind]verdict.Expectation{}
	return func(group, kind string) verdict.Expectation {
		if !strings.Contains(group, ".") {
			return verdict.Expectation{} // no definition can have such a group
		}
		gk := schema.GroupKind{Group: group, Kind: kind}
		mu.Lock()
		defer mu.Unlock()
		x, ok := known[gk]
		if !ok {
			if m, err := c.mapper.RESTMapping(gk); err == nil {
				crd, err := c.client.Resource(definitions).Get(ctx, m.Resource.GroupResource().String(), metav1.GetOptions{})
				if err == nil {
					x = verdict.ExpectationFromCRD(crd.Object, m.Resource.Version)
				}
			}
			known[gk] = x
		}
		return x
	}
}

// expectIn gives what the definitions among objects let one expect, for files that hold them too.
func expectIn(g *relation.Graph) func(group, kind string) verdict.Expectation {
	type kindOf struct{ group, kind string }
	known := map[kindOf]verdict.Expectation{}
	for _, o := range g.List(schema.GroupKind{Group: definitions.Group, Kind: "CustomResourceDefinition"}) {
		spec, _ := o.Content["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, _ := spec["group"].(string)
		kind, _ := names["kind"].(string)
		known[kindOf{group, kind}] = verdict.ExpectationFromCRD(o.Content, "")
	}
	return func(group, kind string) verdict.Expectation { return known[kindOf{group, kind}] }
}

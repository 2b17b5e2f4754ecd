// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/crd"
	"github.com/tristate/tristate/verdict"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Expect returns what custom resource definitions promise of objects. Each definition is read once, when it is first needed; where it may not be read, it
// promises nothing.
func (c *Cluster) Expect(ctx context.Context) func(group, kind string) verdict.Expectation {
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
			if m, err := c.Served.RESTMapping(gk); err == nil {
				content, err := c.Client.Resource(crd.Resource).Get(ctx, m.Resource.GroupResource().String(), metav1.GetOptions{})
				if err == nil {
					if d, err := crd.Read(content.Object); err == nil {
						x = verdict.ExpectationOf(d.StatusSchema(m.Resource.Version))
					}
				}
			}
			known[gk] = x
		}
		return x
	}
}

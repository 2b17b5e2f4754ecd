// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/verdict"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Expect returns what custom resource definitions promise of objects. Each definition is read once, when it is first needed; one that may
// not be read or does not exist promises nothing. Any other error goes to fail, unless that is nil: a verdict without the promise may be
// another one.
func (c *Cluster) Expect(ctx context.Context, fail func(*Error)) func(group, kind string) verdict.Expectation {
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
				name := m.Resource.GroupResource().String()
				content, err := c.Client.Resource(crd.Resource).Get(ctx, name, metav1.GetOptions{})
				if failed := (&Error{Verb: "get", Resource: crd.Resource.GroupResource().String(), Name: name, Err: err}); err != nil &&
					!failed.Steady() {
					if fail != nil {
						fail(failed)
					}
					return x
				}
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

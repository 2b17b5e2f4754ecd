// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"testing"

	"github.com/kubernetes-sigs/kro/pkg/metadata"
)

// TestKinds: a kind that another definition has taken over does not become one whose definition is missing.
func TestKinds(t *testing.T) {
	gvr := metadata.GetResourceGraphDefinitionInstanceGVR("kro.run", "v1alpha1", "Shop")
	served, missing := &Served{Definition: "shop"}, &Served{Definition: "shop", Problem: "it does not exist", Missing: true}
	tests := map[string]struct {
		before, set *Served
		fresh       bool
		want        *Served
	}{
		"the first":           {nil, served, true, served},
		"the same":            {served, &Served{Definition: "shop"}, false, served},
		"its definition goes": {served, missing, true, missing},
		"and comes back":      {missing, served, true, served},
		"another definition":  {missing, &Served{Definition: "other"}, true, &Served{Definition: "other"}},
		"taken over":          {&Served{Definition: "other"}, missing, false, &Served{Definition: "other"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var k Kinds
			if tt.before != nil {
				k.set(gvr, tt.before)
			}
			if fresh := k.set(gvr, tt.set); fresh != tt.fresh || *k.Get(gvr) != *tt.want {
				t.Errorf("new: %v, served by %+v; want %v, %+v", fresh, k.Get(gvr), tt.fresh, tt.want)
			}
			if of := k.of(tt.want.Definition); len(of) != 1 || of[0] != gvr {
				t.Errorf("kinds of %s: %v", tt.want.Definition, of)
			}
			if k.drop(gvr); k.Get(gvr) != nil {
				t.Error("it is still served")
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// FuzzView: no object makes a view panic or go on for ever, and the order in which objects come never matters.
func FuzzView(f *testing.F) {
	f.Add([]byte(`[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a"},"spec":{"volumes":[{"configMap":{"name":"c"}},7,{"secret":"x"}],"nodeName":{}}},
		{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"a"}}]`))
	f.Add([]byte(`[{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"selector":{"a":1}}},{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{"matchExpressions":[{"key":"","operator":"No"}]}}}]`))
	f.Add([]byte(`[{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"k"},"status":{"inventory":{"entries":[{"id":"___"},{"id":"a_b_c"},{"id":"_a_b_C"},{"id":3}]}}}]`))
	f.Add([]byte(`[{"apiVersion":"x/v1","kind":"X","metadata":{"name":"x","ownerReferences":[{"apiVersion":"x/v1","kind":"X","name":"x"}]},"spec":{"ref":{"apiVersion":"x/v1","kind":"X","name":"y"}}},
		{"apiVersion":"x/v1","kind":"X","metadata":{"name":"y","labels":{"kro.run/instance-id":""}},"spec":{"ref":{"group":"x","kind":"X","name":"x"}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var contents []map[string]any
		if json.Unmarshal(data, &contents) != nil || len(contents) == 0 || len(contents) > 50 {
			return
		}
		var first string
		for round := range 2 {
			g := relation.New(nil)
			for i := range contents {
				if round == 1 {
					i = len(contents) - 1 - i
				}
				if o := relation.FromContent(contents[i]); o.Content != nil && o.Kind != "" {
					if g.Get(o.ID) != nil {
						return // of two versions without a resourceVersion the last one stays
					}
					g.Put(o)
				}
			}
			text := ""
			for _, up := range []bool{false, true} {
				v := relation.View{Graph: g, Judge: fieldVerdict, Up: up, All: true}
				for _, o := range g.All() {
					n := v.Build(o.ID)
					text += treeText(n) + format(relation.Causes(n)) + format(relation.Contradictions(n))
					v.Wanted([]relation.ID{o.ID})
				}
			}
			if round == 0 {
				first = text
			} else if diff := cmp.Diff(first, text); diff != "" {
				t.Errorf("the order of objects matters: -first +second\n%s", diff)
			}
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestUse: a graph whose catalogs are replaced repeatedly, while objects come and go, returns the same as one that is new.
func TestUse(t *testing.T) {
	const head = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: %[1]s.example.dev}
spec:
  for: {group: example.dev, kind: %[1]s}
  relations: {%[2]s}
  conditions:
  - type: Ready
    meaning: It works.
    derive: {rules: [{when: "%[3]s", reason: Fine}]}
    reasons: [{reason: Fine, status: "True", meaning: It does.}]
`
	relations := map[string]string{
		"part":   `{kind: B.example.dev, where: item.spec.of == self.metadata.name}`,
		"next":   `{ref: self.spec.next}`,
		"owned":  `{kind: B.example.dev, owned: true}`,
		"labels": `{kind: A.example.dev, selector: self.spec.selector}`,
	}
	kinds := map[string]*catalog.Kind{}
	kindOf := func(kind, relation string) *catalog.Kind {
		if kinds[kind+relation] == nil {
			sources, err := catalog.Parse("x.yaml", fmt.Appendf(nil, head, kind, relation+": "+relations[relation], "has(related."+relation+")"))
			if err != nil {
				t.Fatal(err)
			}
			k, err := catalog.Compile(sources[0])
			if err != nil {
				t.Fatal(err)
			}
			kinds[kind+relation] = k
		}
		return kinds[kind+relation]
	}
	names := []string{"part", "next", "owned", "labels", ""}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		set := func() *catalog.Set {
			var list []*catalog.Kind
			for _, kind := range []string{"A", "B"} {
				if name := names[r.IntN(len(names))]; name != "" {
					list = append(list, kindOf(kind, name))
				}
			}
			s, err := catalog.NewSet(list...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		now := set()
		g := NewPacked(now)
		version := 0
		for range 60 {
			switch r.IntN(4) {
			case 0:
				now = set()
				g.Use(now)
			case 1:
				g.Delete(ID{GroupKind: schema.GroupKind{Group: "example.dev", Kind: []string{"A", "B"}[r.IntN(2)]}, Namespace: "n",
					Name: fmt.Sprint("o", r.IntN(4))})
			default:
				version++
				other := fmt.Sprint("o", r.IntN(4))
				g.Put(FromContent(map[string]any{"apiVersion": "example.dev/v1", "kind": []string{"A", "B"}[r.IntN(2)],
					"metadata": map[string]any{"name": fmt.Sprint("o", r.IntN(4)), "namespace": "n", "uid": fmt.Sprint(r.IntN(2)),
						"resourceVersion": fmt.Sprint(version),
						"labels":          map[string]any{"l": other},
						"ownerReferences": []any{map[string]any{"apiVersion": "example.dev/v1", "kind": "A", "name": other, "uid": "1"}}},
					"spec": map[string]any{"of": other, "selector": map[string]any{"matchLabels": map[string]any{"l": other}},
						"next": map[string]any{"apiVersion": "example.dev/v1", "kind": "B", "name": other}}}))
			}
		}
		want := New(now)
		for _, o := range g.All() {
			want.Put(o)
		}
		if diff := cmp.Diff(want.References(), g.References()); diff != "" {
			t.Errorf("seed %d: references (-made anew +got):\n%s", seed, diff)
		}
		for _, o := range g.All() {
			for _, k := range now.Kinds() {
				for _, l := range k.Relations {
					if diff := cmp.Diff(ids(want.Related(o, l.Name)), ids(g.Related(o, l.Name))); diff != "" {
						t.Errorf("seed %d: %s of %s (-made anew +got):\n%s", seed, l.Name, o.ID, diff)
					}
				}
			}
			if diff := cmp.Diff(want.Put(o), g.Put(o)); diff != "" {
				t.Errorf("seed %d: a change of %s affects (-made anew +got):\n%s", seed, o.ID, diff)
			}
		}
	}
}

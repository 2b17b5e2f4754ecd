// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"sigs.k8s.io/yaml"
)

// TestPaused: nothing is derived for an object while its kind's paused holds, on the object itself or on a related one, and the object
// has to be judged anew when the related one changes.
func TestPaused(t *testing.T) {
	const text = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: parts.example.dev}
spec:
  for: {group: example.dev, kind: Part}
  relations: {whole: {kind: Whole.example.dev, ref: self.spec.whole}}
  paused: "'paused' in self.metadata.?annotations.orValue({}) || has(related.whole) && related.whole.spec.paused"
  conditions:
  - type: Ready
    meaning: It works.
    derive: {rules: [{reason: Fine}]}
    reasons: [{reason: Fine, status: "True", meaning: It does.}]
`
	tests := map[string]struct {
		part, whole string
		want        bool
	}{
		"nothing is paused":          {part: `metadata: {name: p}`, whole: `spec: {paused: false}`},
		"without the related object": {part: `metadata: {name: p}`},
		"without the field":          {part: `metadata: {name: p}`, whole: `spec: {}`},
		"by itself":                  {part: `metadata: {name: p, annotations: {paused: ""}}`, whole: `spec: {paused: false}`, want: true},
		"by the related object":      {part: `metadata: {name: p}`, whole: `spec: {paused: true}`, want: true},
	}
	set, err := catalog.Load(map[string][]byte{"parts.yaml": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g, fields := relation.New(set), relation.FieldsOf(set)
			put := func(kind, text string) []relation.ID {
				content := map[string]any{}
				if err := yaml.Unmarshal([]byte("apiVersion: example.dev/v1\nkind: "+kind+"\n"+text), &content); err != nil {
					t.Fatal(err)
				}
				o := relation.FromContent(content)
				return g.Put(relation.FromContent(fields.Prune(o.GroupKind, content)))
			}
			id := put("Part", tt.part+"\nspec: {whole: w}")[0]
			if tt.whole != "" {
				if affected := put("Whole", "metadata: {name: w}\n"+tt.whole); len(affected) != 1 || affected[0] != id {
					t.Errorf("a change of the related object affects %v, want %v", affected, id)
				}
			}
			in, ok := derive.Gather(g, id, now)
			if !ok {
				t.Fatal("not gathered")
			}
			result := derive.Derive(in)
			if result.Paused != tt.want || result.Changed == tt.want || len(result.Problems) > 0 {
				t.Errorf("paused %v, changed %v, problems %v; want paused %v", result.Paused, result.Changed, result.Problems, tt.want)
			}
		})
	}
}

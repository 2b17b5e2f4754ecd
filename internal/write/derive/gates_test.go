// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"fmt"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"sigs.k8s.io/yaml"
)

const gated = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: pods.example.dev}
spec:
  for: {group: example.dev, kind: Pod}
  retired: [Old]
  conditions:
  - type: Ready
    meaning: It serves.
    derive: {summary: {of: [Up], gates: %s}}
  - type: Up
    meaning: It runs.
    reasons: [{reason: Runs, status: "True", meaning: It does.}]
`

func TestGates(t *testing.T) {
	const object = `
apiVersion: example.dev/v1
kind: Pod
metadata: {name: p}
spec: {readinessGates: [{conditionType: Zoned}, {conditionType: Up}, {conditionType: Held, polarity: Negative}, {conditionType: Zoned}]}
status: {conditions: [{type: Up, status: "True", reason: Runs}, {type: Held, status: "%s", reason: ByHand}, {type: Zoned, status: "%s", reason: Z}]}
`
	tests := map[string]struct {
		gates, held, zoned string
		want               conditions.Status
		message            string
		problems           int
	}{
		"open": {gates: "self.spec.readinessGates", held: "False", zoned: "True", want: conditions.True},
		"held": {gates: "self.spec.readinessGates", held: "True", zoned: "True", want: conditions.False, message: "Held(ByHand)"},
		"both, by name": {gates: "self.spec.readinessGates", held: "True", zoned: "False", want: conditions.False,
			message: "Held(ByHand); Zoned(Z)"},
		"names": {gates: `"self.spec.readinessGates.map(g, g.conditionType).filter(c, c == 'Zoned')"`, held: "True", zoned: "False",
			want: conditions.False, message: "Zoned(Z)"},
		"objects built": {gates: `"[{'conditionType': 'Held', 'polarity': 'negative'}]"`, held: "True", zoned: "True", want: conditions.False,
			message: "Held(ByHand)"},
		"none": {gates: "self.spec.noGates", held: "True", zoned: "False", want: conditions.True},
		"nobody reports it": {gates: `"['Missing']"`, held: "True", zoned: "False", want: conditions.Unknown,
			message: "Missing(NotReported): not reported"},
		"odd entries": {gates: `"[3]"`, held: "True", zoned: "False", want: conditions.True, problems: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := catalog.Load(map[string][]byte{"pods.yaml": fmt.Appendf(nil, gated, tt.gates)})
			if err != nil {
				t.Fatal(err)
			}
			var content map[string]any
			if err := yaml.Unmarshal(fmt.Appendf(nil, object, tt.held, tt.zoned), &content); err != nil {
				t.Fatal(err)
			}
			g := relation.New(set)
			g.Put(relation.FromContent(content))
			id := relation.ID{Name: "p"}
			id.Group, id.Kind = "example.dev", "Pod"
			in, ok := derive.Gather(g, id, now)
			if !ok {
				t.Fatal("no pod")
			}
			got := derive.Derive(in)
			ready := got.Conditions()[conditions.Find(got.Conditions(), "Ready")]
			if ready.Status != tt.want || ready.Message != tt.message || len(got.Problems) != tt.problems {
				t.Errorf("Ready=%s %q, problems %v; want %s %q, %d problems", ready.Status, ready.Message, got.Problems, tt.want, tt.message,
					tt.problems)
			}
		})
	}
}

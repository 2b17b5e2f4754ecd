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

const quorate = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: sets.example.dev}
spec:
  for: {group: example.dev, kind: Set}
  relations:
    members: {kind: Member.example.dev, where: item.spec.set == self.metadata.name}
  conditions:
  - type: Ready
    meaning: Enough members are ready.
    derive: {aggregate: {of: members, type: Ready, %s, reasons: {Crash: MemberDown}}}
    reasons:
    - {reason: MemberDown, status: "False", meaning: Too few are.}
    - {reason: Enough, status: "True", meaning: They are.}
`

// A quorum and renamed reasons go from the document to the derived condition.
func TestQuorum(t *testing.T) {
	for rule, want := range map[string]string{
		"atLeast: 2": "True Enough 2 of 3 completed", "atMost: 1": "True Enough 2 of 3 completed",
		"atLeast: 3":    "False MemberDown Ready(Crash) [c]",
		"counter: true": "False MemberDown 2 of 3 completed: Ready(Crash) [c]",
	} {
		t.Run(rule, func(t *testing.T) {
			set, err := catalog.Load(map[string][]byte{"sets.yaml": fmt.Appendf(nil, quorate, rule)})
			if err != nil {
				t.Fatal(err)
			}
			g := relation.New(set)
			for _, doc := range []string{
				`{apiVersion: example.dev/v1, kind: Set, metadata: {name: s}}`,
				`{apiVersion: example.dev/v1, kind: Member, metadata: {name: a}, spec: {set: s}, status: {conditions: [{type: Ready, status: "True", reason: Up}]}}`,
				`{apiVersion: example.dev/v1, kind: Member, metadata: {name: b}, spec: {set: s}, status: {conditions: [{type: Ready, status: "True", reason: Up}]}}`,
				`{apiVersion: example.dev/v1, kind: Member, metadata: {name: c}, spec: {set: s}, status: {conditions: [{type: Ready, status: "False", reason: Crash}]}}`,
			} {
				var content map[string]any
				if err := yaml.Unmarshal([]byte(doc), &content); err != nil {
					t.Fatal(err)
				}
				g.Put(relation.FromContent(content))
			}
			id := relation.ID{Name: "s"}
			id.Group, id.Kind = "example.dev", "Set"
			in, _ := derive.Gather(g, id, now)
			got := derive.Derive(in)
			c := got.Conditions()[conditions.Find(got.Conditions(), "Ready")]
			if text := fmt.Sprint(c.Status, " ", c.Reason, " ", c.Message); text != want {
				t.Errorf("%s, want %s; problems %v", text, want, got.Problems)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestCircle: objects that refer to each other, or to themselves, come to rest; the condition names the circle, and when it is opened they
// are what they were. Objects that only lead into a circle see what its members say.
func TestCircle(t *testing.T) {
	for name, derivation := range map[string]string{
		"mirror":    `{mirror: {of: next}, rules: [{reason: Last}]}`,
		"rules":     `{rules: [{when: "has(related.next) && condition(related.next, 'Ready').status != 'True'", reason: Waits, message: "'waits: ' + condition(related.next, 'Ready').message"}, {reason: Last}]}`,
		"raw field": `{rules: [{when: "has(related.next) && related.next.status.conditions.exists(c, c.status == 'True')", reason: Waits}, {reason: Last}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := catalog.Load(map[string][]byte{"nodes.yaml": fmt.Appendf(nil, `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: nodes.example.dev}
spec:
  for: {group: example.dev, kind: Node}
  relations: {next: {ref: self.spec.next}}
  conditions:
  - type: Ready
    meaning: It works.
    derive: %s
    reasons: [{reason: Last, status: "True", meaning: It is the last one.}, {reason: Waits, status: "False", meaning: It waits for the next one.}]
`, derivation)})
			if err != nil {
				t.Fatal(err)
			}
			g := relation.New(set)
			id := func(name string) relation.ID {
				return relation.ID{GroupKind: schema.GroupKind{Group: "example.dev", Kind: "Node"}, Name: name}
			}
			put := func(name, next string, list []any) {
				spec := map[string]any{}
				if next != "" {
					spec["next"] = map[string]any{"apiVersion": "example.dev/v1", "kind": "Node", "name": next}
				}
				g.Put(relation.FromContent(map[string]any{"apiVersion": "example.dev/v1", "kind": "Node",
					"metadata": map[string]any{"name": name, "uid": name},
					"spec":     spec, "status": map[string]any{"conditions": list}}))
			}
			settle := func() map[string]conditions.Condition {
				t.Helper()
				out := map[string]conditions.Condition{}
				for range 20 {
					changed := false
					for _, o := range g.All() {
						in, _ := derive.Gather(g, o.ID, now)
						result := derive.Derive(in)
						out[o.Name] = result.Conditions()[0]
						if changed = changed || result.Changed; result.Changed {
							next, _ := o.Content["spec"].(map[string]any)["next"].(map[string]any)
							to, _ := next["name"].(string)
							put(o.Name, to, []any{wire.ToUnstructured(result.Conditions()[0], conditions.DialectCore)})
						}
					}
					if !changed {
						return out
					}
				}
				t.Fatal("does not settle")
				return nil
			}
			put("a", "b", nil)
			put("b", "c", nil)
			put("c", "a", nil)
			put("self", "self", nil)
			put("in", "a", nil)
			got := settle()
			for name, way := range map[string]string{"a": "Node/a -> Node/b -> Node/c -> Node/a", "c": "Node/c -> Node/a -> Node/b -> Node/c",
				"self": "Node/self -> Node/self"} {
				if c := got[name]; c.Status != conditions.Unknown || !strings.Contains(c.Message, way) {
					t.Errorf("%s: want Unknown over %s, got %s %s: %s", name, way, c.Status, c.Reason, c.Message)
				}
			}
			if path := g.Circle(g.Get(id("in")), "next"); path != nil {
				t.Errorf("an object that leads into a circle is not in it: %v", path)
			}
			put("c", "", []any{wire.ToUnstructured(got["c"], conditions.DialectCore)})
			if got := settle(); got["c"].Status != conditions.True || got["a"].Status == conditions.Unknown ||
				strings.Contains(got["a"].Message, "leads back") {
				t.Errorf("after the circle is opened: %+v", got)
			}
		})
	}
}

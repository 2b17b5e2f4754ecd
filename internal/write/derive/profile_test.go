// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
)

const yard = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: yards.example.dev}
spec:
  for: {group: example.dev, kind: Yard}
  dialect: %[1]s
  relations:
    boats: {kind: Machine.example.dev, owned: true}
    crane: {kind: Crane.example.dev, ref: self.spec.crane}
    guest: {kind: Guest.example.dev, ref: self.spec.guest}
  conditions:
  - type: Ready
    meaning: The yard works.
    derive: {summary: {of: [Own, Paused, BoatsReady, CraneReady, GuestReady]}}
  - type: BoatsReady
    meaning: Every boat floats.
    derive: {aggregate: {of: boats}}
  - type: CraneReady
    meaning: The crane lifts.
    derive: {mirror: {of: crane, missing: unknown}}
  - type: GuestReady
    meaning: What the guest says, who has no catalog.
    derive: {mirror: {of: guest, missing: unknown}}
  - type: Own
    meaning: Somebody else says it.
    reasons: [{reason: A, status: "True", meaning: Yes.}, {reason: A, status: "False", meaning: No.}, {reason: B, status: "Unknown", meaning: Perhaps.}]
  - type: Paused
    meaning: Nothing is done.
    polarity: negative
    presence: when-true
    reasons: [{reason: A, status: "True", meaning: Yes.}, {reason: A, status: "False", meaning: No.}, {reason: B, status: "Unknown", meaning: Perhaps.}]
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: machines.example.dev}
spec:
  for: {group: example.dev, kind: Machine}
  dialect: %[1]s
  conditions: [{type: Ready, meaning: It floats., reasons: [{reason: A, status: "True", meaning: Yes.}]}]
---
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: cranes.example.dev}
spec:
  for: {group: example.dev, kind: Crane}
  dialect: %[1]s
  conditions: [{type: Ready, meaning: It lifts., reasons: [{reason: A, status: "True", meaning: Yes.}]}]
`

// dice makes objects.
type dice struct{ *rand.Rand }

func (d dice) pick(words ...string) string { return words[d.IntN(len(words))] }

func (d dice) condition(conditionType string) map[string]any {
	good := map[bool]string{true: "False", false: "True"}[conditionType == "Paused"]
	return map[string]any{"type": conditionType, "status": d.pick(good, good, good, good, good, "True", "False", "Unknown"),
		"reason":             d.pick("A", "B"),
		"message":            d.pick("", "text", "* a\n* b", "a\nb"),
		"lastTransitionTime": now.Add(-time.Duration(d.IntN(5)) * time.Hour).Format(time.RFC3339)}
}

// maybe returns the condition or none.
func (d dice) maybe(conditionType string) []any {
	if d.IntN(8) == 0 {
		return nil
	}
	return []any{d.condition(conditionType)}
}

func thing(kind, name string, list []any) map[string]any {
	return map[string]any{"apiVersion": "example.dev/v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "sea",
		"uid": kind + name, "generation": int64(1)}, "spec": map[string]any{}, "status": map[string]any{"conditions": list}}
}

// offered is what is offered to a merge of a condition of an object.
func offered(o *relation.Object, list []conditions.Condition, conditionType string) rollup.Input {
	in := rollup.Input{Type: conditionType, Polarity: conditions.Positive}
	if o != nil {
		in.Object = o.Ref()
	}
	if at := conditions.Find(list, conditionType); at >= 0 {
		in.Condition = &list[at]
	}
	return in
}

// TestProfiles: what a catalog of a dialect derives is, byte for byte, what the merges of package rollup give with the dialect.
func TestProfiles(t *testing.T) {
	for _, dialect := range []conditions.Dialect{conditions.DialectCore, conditions.DialectCAPIv1beta1} {
		t.Run(string(dialect), func(t *testing.T) {
			set, err := catalog.Load(map[string][]byte{"yard.yaml": fmt.Appendf(nil, yard, dialect)})
			if err != nil {
				t.Fatal(err)
			}
			roll := dice{rand.New(rand.NewPCG(3, 4))}
			seen := map[conditions.Status]int{}
			for n := range 500 {
				stored := slices.Concat(roll.maybe("Own"), roll.maybe("Paused"), roll.maybe("Ready"), roll.maybe("CraneReady"),
					roll.maybe("BoatsReady"))
				content := thing("Yard", "home", stored)
				content["spec"] = map[string]any{"crane": map[string]any{"name": "c", "kind": "Crane", "apiVersion": "example.dev/v1"},
					"guest": map[string]any{"name": "g", "kind": "Guest", "apiVersion": "example.dev/v1"}}
				self := relation.FromContent(content)
				crane := relation.FromContent(thing("Crane", "c", roll.maybe("Ready")))
				guest := relation.FromContent(thing("Guest", "g", roll.maybe("Ready")))
				var boats []*relation.Object
				for i := range roll.IntN(5) {
					boats = append(boats, relation.FromContent(thing("Machine", fmt.Sprint("m", i), roll.maybe("Ready"))))
				}
				in := derive.Input{Set: set, Kind: set.Kind(self.GroupKind), Self: self, Now: now,
					Related: map[string][]*relation.Object{"boats": boats, "crane": {crane}, "guest": {guest}}}
				result := derive.Derive(in)
				if len(result.Errors)+len(result.Problems) > 0 {
					t.Fatalf("case %d: %v %v", n, result.Errors, result.Problems)
				}
				missing := rollup.MissingUnknown
				if dialect == conditions.DialectCAPIv1beta1 {
					missing = rollup.MissingSkip
				}
				target := func(name string) conditions.Type { return *in.Kind.Type(name) }

				// from other objects
				var afloat []rollup.Input
				for _, boat := range boats {
					afloat = append(afloat, offered(boat, listOf(boat), "Ready"))
				}
				want, ok := rollup.Aggregate(afloat, rollup.Options{Dialect: dialect, Target: target("BoatsReady"),
					Missing: missing})
				same(t, n, "BoatsReady", result.Conditions(), want, ok)
				want, ok = rollup.Mirror(offered(crane, listOf(crane), "Ready"),
					rollup.Options{Dialect: dialect, Target: target("CraneReady"), Missing: rollup.MissingUnknown})
				same(t, n, "CraneReady", result.Conditions(), want, ok)
				want, ok = rollup.Mirror(offered(guest, listOf(guest), "Ready"),
					rollup.Options{Dialect: dialect, Target: target("GuestReady"), Missing: rollup.MissingUnknown})
				same(t, n, "GuestReady", result.Conditions(), want, ok)

				// the summary of what the pass leaves
				var parts []rollup.Input
				for _, name := range []string{"Own", "Paused", "BoatsReady", "CraneReady", "GuestReady"} {
					one := offered(nil, result.Conditions(), name)
					one.Polarity = target(name).Polarity
					one.Optional = name == "Paused"
					parts = append(parts, one)
				}
				want, ok = rollup.Summarize(parts, rollup.Options{Dialect: dialect, Target: target("Ready"), Missing: missing})
				if dialect == conditions.DialectCAPIv1beta1 { // "if ... not exposing a Ready condition, the summary MUST NOT be generated"
					exposed := func(name string) bool { return conditions.Find(result.Conditions(), name) >= 0 }
					ok = ok && (exposed("BoatsReady") || exposed("CraneReady") || exposed("GuestReady"))
				}
				same(t, n, "Ready", result.Conditions(), want, ok)
				if ok {
					seen[want.Condition.Status]++
				}

				var written []any
				for _, c := range result.Conditions() {
					written = append(written, wire.ToUnstructured(c, dialect))
				}
				content["status"] = map[string]any{"conditions": written}
				in.Self = relation.FromContent(content)
				if again := derive.Derive(in); again.Changed {
					t.Fatalf("case %d: a second pass changes something:\n%s", n, cmp.Diff(result.Conditions(), again.Conditions()))
				}
			}
			if len(seen) != 3 {
				t.Errorf("not every status was reached: %v", seen)
			}
		})
	}
}

func listOf(o *relation.Object) []conditions.Condition {
	status, _ := o.Content["status"].(map[string]any)
	raw, _ := status["conditions"].([]any)
	list, _ := wire.FromUnstructured(raw)
	return list
}

// same holds a derived condition to what a merge gave.
func same(t *testing.T, n int, name string, list []conditions.Condition, want rollup.Merged, ok bool) {
	t.Helper()
	at := conditions.Find(list, name)
	if (at >= 0) != ok {
		t.Fatalf("case %d: %s is there: %t, and the merge has a result: %t", n, name, at >= 0, ok)
	}
	if !ok {
		return
	}
	says := func(c conditions.Condition) []string { return []string{string(c.Status), c.Reason, c.Message} }
	if diff := cmp.Diff(says(want.Condition), says(list[at])); diff != "" {
		t.Fatalf("case %d: %s (-merge +derived):\n%s", n, name, diff)
	}
}

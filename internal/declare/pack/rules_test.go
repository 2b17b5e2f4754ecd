// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// engine makes one of the spec of a catalog for Lamp.example.org.
func engine(t testing.TB, spec string) *verdict.Engine {
	t.Helper()
	return pack.Engine(set(t, spec))
}

func set(t testing.TB, spec string) *catalog.Set {
	t.Helper()
	text := "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: lamps.example.org}\nspec:\n  for: {group: example.org, kind: Lamp}\n" + spec
	out, err := catalog.Load(map[string][]byte{"lamp.yaml": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lamp reads a Lamp from its members after the kind, a YAML flow mapping.
func lamp(t testing.TB, text string) map[string]any {
	t.Helper()
	cases, err := pack.ReadCases("lamp", []byte("- {name: lamp, verdict: Current, object: {apiVersion: example.org/v1, kind: Lamp, "+text+
		"}}"))
	if err != nil {
		t.Fatal(err)
	}
	return cases[0].Object
}

const lampRules = `
  variables:
    cold: "self.status.kelvin > 5000"
  verdicts:
  - {when: "self.spec.dark", verdict: Suspended, reason: Dark}
  - {when: "condition(self, 'Broken').status == 'True'", verdict: Failed}
  - {when: "variables.cold", verdict: Degraded, message: "'too cold: ' + string(self.status.kelvin)"}
  - {when: "after(self.status.litAt, duration('1h'))", verdict: Current, reason: Warm}
  - {when: "has(self.status.litAt)", verdict: InProgress, reason: WarmsUp}
  states:
  - condition: Lit
    words: {"True": Current, "False": Failed, False/Dusk: InProgress}
  - path: status.phase
    message: status.note
    words: {glowing: Current}
    otherwise: Unknown
`

type answer struct {
	Status        verdict.Status
	Reason        string
	Message, Rule string
	Ready         bool
	Evidence      []verdict.Evidence
	Since, Look   time.Time
}

func answerOf(v verdict.Verdict) answer {
	return answer{v.Status, v.Reason, v.Message, v.Rule, v.Ready, v.Evidence, v.Since, v.NextLook}
}

func TestRules(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	brokenPath := `.status.conditions[?(@.type=="Broken")].status`
	litPath := `.status.conditions[?(@.type=="Lit")].status`
	tests := map[string]struct {
		object string
		want   answer
	}{
		"a rule about the spec": {"spec: {dark: true}", answer{Status: "Suspended", Reason: "Dark", Rule: "verdicts[0]",
			Evidence: []verdict.Evidence{{Path: ".spec.dark", Value: true}}}},
		"a rule about the spec holds while the status is old": {"metadata: {generation: 2}, spec: {dark: true}, status: {observedGeneration: 1}",
			answer{Status: "Suspended", Reason: "Dark", Rule: "verdicts[0]", Evidence: []verdict.Evidence{{Path: ".spec.dark", Value: true}}}},
		"a rule about a condition says what the condition says": {
			"status: {conditions: [{type: Broken, status: 'True', reason: Glass, message: it fell, lastTransitionTime: '2026-01-02T03:00:00Z'}]}",
			answer{Status: "Failed", Reason: "Glass", Message: "it fell", Rule: "verdicts[1]", Since: at,
				Evidence: []verdict.Evidence{{Path: brokenPath, Value: "True"}}}},
		"a variable": {"status: {kelvin: 6500}", answer{Status: "Degraded", Reason: "Degraded", Message: "too cold: 6500", Rule: "verdicts[2]",
			Ready: true}},
		"time passes": {"status: {litAt: '2026-01-02T03:00:00Z'}", answer{Status: "InProgress", Reason: "WarmsUp", Rule: "verdicts[4]",
			Look: at.Add(time.Hour), Evidence: []verdict.Evidence{{Path: ".status.litAt", Value: "2026-01-02T03:00:00Z"}}}},
		"time has passed": {"status: {litAt: '2026-01-02T02:00:00Z'}", answer{Status: "Current", Reason: "Warm", Rule: "verdicts[3]", Ready: true,
			Evidence: []verdict.Evidence{{Path: ".status.litAt", Value: "2026-01-02T02:00:00Z"}}}},
		"a status of a condition": {"status: {conditions: [{type: Lit, status: 'False', reason: Fuse}]}", answer{Status: "Failed", Reason: "Fuse",
			Message: "condition Lit is False", Rule: "states[0]", Evidence: []verdict.Evidence{{Path: litPath, Value: "False"}}}},
		"a reason of a condition": {"status: {conditions: [{type: Lit, status: 'False', reason: Dusk, message: soon}]}",
			answer{Status: "InProgress",
				Reason: "Dusk", Message: "soon", Rule: "states[0]", Evidence: []verdict.Evidence{{Path: litPath, Value: "False"}}}},
		"a word": {"status: {phase: glowing}", answer{Status: "Current", Reason: "glowing", Message: "phase is glowing", Rule: "states[1]",
			Ready:    true,
			Evidence: []verdict.Evidence{{Path: ".status.phase", Value: "glowing"}}}},
		"another word, with a message": {"status: {phase: humming, note: strange}",
			answer{Status: "Unknown", Reason: "humming", Message: "strange",
				Rule: "states[1]", Evidence: []verdict.Evidence{{Path: ".status.phase", Value: "humming"}}}},
	}
	e := engine(t, lampRules)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := lamp(t, test.object)
			test.want.Rule = "catalog/lamps.example.org/" + test.want.Rule
			v := e.Judge(object, now)
			if diff := cmp.Diff(test.want, answerOf(v)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// What rules and states cannot answer is left to conventions.
func TestRules_silent(t *testing.T) {
	tests := map[string]struct {
		object string
		want   string // the rule
	}{
		"the status is old": {"metadata: {generation: 2}, status: {observedGeneration: 1, phase: glowing}", "object/generation"},
		"the condition is old": {"metadata: {generation: 2}, status: {conditions: [{type: Broken, status: 'True', observedGeneration: 1}]}",
			"condition/generation"},
		"the state's condition too": {"metadata: {generation: 2}, status: {conditions: [{type: Lit, status: 'True', observedGeneration: 1}]}",
			"conditions/no-summary"},
		"it is deleted":       {"metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {dark: true}", "condition/deletion"},
		"nothing is reported": {"spec: {}", "no-status/none"},
	}
	e := engine(t, lampRules)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := lamp(t, test.object)
			if v := e.Judge(object, now); v.Rule != test.want {
				t.Errorf("want %s, got %s (%s)", test.want, v.Rule, v.Status)
			}
		})
	}
}

// Of several sets the first that judges a kind counts; any kind of a group gives way to a kind.
func TestEngine_precedence(t *testing.T) {
	always := func(forKind, word string) *catalog.Set {
		text := "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: x}\nspec: {for: {group: example.org, kind: '" +
			forKind +
			"'}, verdicts: [{verdict: Current, reason: " + word + "}]}\n"
		out, err := catalog.LoadFS(fstest.MapFS{"x.yaml": &fstest.MapFile{Data: []byte(text)}}, ".")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tests := map[string]struct {
		sets []*catalog.Set
		want string
	}{
		"first set":       {[]*catalog.Set{always("Lamp", "One"), always("Lamp", "Two")}, "One"},
		"kind before any": {[]*catalog.Set{always("*", "Any"), always("Lamp", "Two")}, "Two"},
		"any kind":        {[]*catalog.Set{always("*", "Any"), always("Chair", "Two")}, "Any"},
		"no set":          {[]*catalog.Set{nil, always("Lamp", "Two")}, "Two"},
		"relations do not judge": {[]*catalog.Set{set(t, "  relations: {bulbs: {kind: Bulb.example.org, owned: true}}"), always("Lamp", "Two")},
			"Two"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v := pack.Engine(test.sets...).Judge(lamp(t, ""), now)
			if v.Reason != test.want {
				t.Errorf("want %s, got %s by %s", test.want, v.Reason, v.Rule)
			}
		})
	}
}

// FuzzReadCases: no input makes it panic, and every case can be run.
func FuzzReadCases(f *testing.F) {
	f.Add([]byte("- {name: a, verdict: Current, object: {apiVersion: kubevirt.io/v1, kind: VirtualMachine, status: {printableStatus: Running}}}"))
	f.Add([]byte(`[{"name": "b", "verdict": "Failed", "now": "2026-01-01T00:00:00Z", "object": {"kind": "X", "n": 1.5}}]`))
	_, packs := shipped(f)
	e := pack.Engine(packs)
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := pack.ReadCases("file", data)
		if err != nil && cases != nil {
			t.Error("cases beside an error")
		}
		for _, c := range cases {
			if v := c.Run(e).Verdict; v.Status == "" {
				t.Errorf("no verdict of %v", c.Object)
			}
		}
	})
}

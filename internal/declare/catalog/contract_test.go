// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
)

const contracted = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: things.example.com}
spec:
  for: {group: example.com, kind: Thing}
  writer: thing-controller
  observedGeneration: both
  settled: self.status.observedGeneration == self.metadata.generation
  exclusive:
  - [Ready, Stalled]
  conditions:
  - type: Ready
    aliases: [Available]
    meaning: Ready holds.
    retired: [Gone]
    open: Treat an unknown reason as the status alone.
    message: {template: "{done} of {total} are ready"}
    imports:
    - {from: Widget.example.com/Ready}
    reasons:
    - {reason: Broken, status: "False", meaning: It is broken., aliases: [Torn],
       message: {prefix: "broken: ", maxCharacters: 20}}
    - {reason: Faulty, status: "False", meaning: It is broken., deprecated: {renamedTo: Broken, since: v2, earliestRemoval: v4}}
    - {reason: Fine, status: "True", meaning: It is fine.}
    writers:
    - {kind: Watcher.example.com, manager: watcher, reasons: [Broken]}
  - type: Healthy
    meaning: The former Ready.
    deprecated: {renamedTo: Ready, since: v2}
    reasons: [{reason: Fine, status: "True", meaning: It is fine.}, {reason: Broken, status: "False", meaning: It is broken.}]
  - type: Stalled
    meaning: Nothing moves.
    polarity: negative
    while: Healthy
    transition: any
    backdated: true
    deadline: 1h
    composite: {separator: "::", parts: type_reason, max: 3}
    mirrorOf: {type: Ready, negated: true, within: 1m}
    reasons: [{reason: Stuck, status: "True", meaning: It is stuck.}, {reason: Moving, status: "False", meaning: It moves.}]
`

func contractedKind(t *testing.T) *Kind {
	t.Helper()
	set, err := Load(map[string][]byte{"thing.yaml": []byte(contracted)})
	if err != nil {
		t.Fatal(err)
	}
	return set.Kinds()[0]
}

// TestNamesOverTime: a type is found by its aliases, and by the deprecated names that it is the successor of.
func TestNamesOverTime(t *testing.T) {
	k := contractedKind(t)
	got := map[string]any{
		"names of Ready":      k.Names("Ready"),
		"names of an alias":   k.Names("Available"),
		"names of Healthy":    k.Names("Healthy"),
		"names of a stranger": k.Names("Strange"),
	}
	want := map[string]any{
		"names of Ready":      []string{"Ready", "Available", "Healthy"},
		"names of an alias":   []string{"Ready", "Available", "Healthy"},
		"names of Healthy":    []string{"Healthy"},
		"names of a stranger": []string(nil),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestParts: a joined reason is taken apart by the grammar of its type, and one with a part that is not declared is none.
func TestParts(t *testing.T) {
	k := contractedKind(t)
	tests := map[string]struct {
		conditionType, reason string
		want                  []string
	}{
		"declared":               {"Stalled", "Stuck", []string{"Stuck"}},
		"joined":                 {"Stalled", "Ready_Broken::Healthy_Fine", []string{"Ready_Broken", "Healthy_Fine"}},
		"one part":               {"Stalled", "Ready_Torn", []string{"Ready_Torn"}},
		"a part without a type":  {"Stalled", "Ready_Broken::Stuck", nil},
		"a part of no type":      {"Stalled", "Strange_Broken", nil},
		"a part of no reason":    {"Stalled", "Ready_Strange", nil},
		"too many":               {"Stalled", "Ready_Broken::Ready_Fine::Healthy_Fine::Healthy_Broken", nil},
		"a type without grammar": {"Ready", "Broken::Fine", nil},
		"a type of nobody":       {"Strange", "Broken", nil},
		"empty":                  {"Stalled", "", nil},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, k.Parts(test.conditionType, test.reason, conditions.True)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMessageContract: the contract of the reason comes before that of the type, bytes and characters are two limits.
func TestMessageContract(t *testing.T) {
	k := contractedKind(t)
	tests := map[string]struct {
		reason, message, want string
		status                conditions.Status
	}{
		"kept":             {"Broken", "broken: pump", "", conditions.False},
		"kept by an alias": {"Torn", "broken: pump", "", conditions.False},
		"no prefix":        {"Broken", "pump", `message does not begin with "broken: "`, conditions.False},
		"too long":         {"Broken", "broken: " + strings.Repeat("é", 13), "message has 21 characters, more than 20", conditions.False},
		"not too long":     {"Broken", "broken: " + strings.Repeat("é", 12), "", conditions.False},
		"template":         {"Fine", "2 of 3 are ready", "", conditions.True},
		"template, lines":  {"Fine", "2\n of 3 are ready", "", conditions.True},
		"template, broken": {"Fine", "2 of 3", `message does not follow "{done} of {total} are ready"`, conditions.True},
		"too many bytes":   {"Fine", strings.Repeat("é", 16385), "message has 32770 bytes, more than 32768", conditions.True},
		"reason of nobody": {"Strange", "x of y are ready", "", conditions.True},
		"another status":   {"Broken", "1 of 2 are ready", "", conditions.Unknown},
	}
	for name, test := range tests {
		if got := k.Contract("Ready", test.reason, test.status).Broken(test.message); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got := k.Contract("Stalled", "Stuck", conditions.True).Broken("anything"); got != "" {
		t.Errorf("without a contract: %q", got)
	}
}

// TestContractRoundTrip: what the contract adds is written as it is read.
func TestContractRoundTrip(t *testing.T) {
	k := contractedKind(t)
	data, err := k.Source.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("again.yaml", data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if diff := cmp.Diff(k.Source.Document, again[0].Document); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
	if k.Settled == nil {
		t.Error("settled was not compiled")
	}
}

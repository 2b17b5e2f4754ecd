// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const contracted = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: things.example.com}
spec:
  for: {group: example.com, kind: Thing}
  observedGeneration: both
  exclusive:
  - [Ready, Stalled]
  conditions:
  - type: Ready
    aliases: [Available]
    meaning: Ready holds.
    retired: [Gone]
    open: Treat an unknown reason as the status alone.
    reasons:
    - {reason: Broken, status: "False", meaning: It is broken., aliases: [Torn],
       message: "broken: %s"}
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
}

// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"sigs.k8s.io/yaml"
)

// TestConditions_ofMany: each list under the key of the element that holds it.
func TestConditions_ofMany(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"door.yaml": []byte(`
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: doors.example.dev}
spec:
  for: {group: example.dev, kind: Door}
  path: status.locks[*].conditions
  conditions:
  - type: Shut
    meaning: It is shut.
    reasons:
    - {reason: Closed, status: "True", meaning: It is.}
    - {reason: Jammed, status: "False", meaning: It is not.}
`)})
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := yaml.Unmarshal([]byte(`
apiVersion: example.dev/v1
kind: Door
metadata: {name: front}
status:
  locks:
  - {name: upper, conditions: [{type: Odd, status: "True", reason: X}, {type: Shut, status: "True", reason: Closed}]}
  - {keyRef: {name: k}, conditions: [{type: Shut, status: "False", reason: Jammed, message: rust}]}
  - {conditions: []}
`), &content); err != nil {
		t.Fatal(err)
	}
	o := relation.FromContent(content)
	var got strings.Builder
	n := &relation.Node{ID: o.ID, Object: o, Judgement: relation.Judgement{Verdict: "Failed"}}
	err = Wide(&got, slices.Values([]*relation.Node{n}), func(*relation.Node) *catalog.Kind { return set.Kind(o.GroupKind) },
		func(n *relation.Node) *relation.Object { return n.Object }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `OBJECT                        VERDICT   MESSAGE
Door/front                    ✗ Failed
  upper
    Shut=True                 ✓         Closed
    Odd=True                  ·         X
  keyRef.name=k
    Shut=False                ✗         Jammed: rust
  status.locks[2].conditions
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got\n%s\n%s", diff, got.String())
	}
}

// TestDetail: a word is shown once, whether it is the verdict, the type of a condition or its reason.
func TestDetail(t *testing.T) {
	tests := map[string]struct {
		judgement relation.Judgement
		want      string
	}{
		"reason and message": {relation.Judgement{Verdict: "Failed", Reason: "CrashLoopBackOff", Message: "container web"},
			"CrashLoopBackOff: container web"},
		"the verdict as the reason": {relation.Judgement{Verdict: "Suspended", Reason: "Suspended", Message: "the schedule is suspended"},
			"the schedule is suspended"},
		"the verdict as the only word": {relation.Judgement{Verdict: "Suspended", Reason: "Suspended"}, "Suspended"},
		"the verdict, with a severity": {relation.Judgement{Verdict: "Degraded", Reason: "Degraded", Severity: "Warning", Message: "slow"},
			"slow"},
		"a condition": {relation.Judgement{Verdict: "Failed", Type: "Ready", Status: "False", Reason: "NotReady",
			Severity: "Error", Message: "gone"}, "Ready: NotReady (Error): gone"},
		"a type without a reason": {relation.Judgement{Verdict: "Failed", Type: "Ready", Status: "False", Message: "gone"},
			"Ready: gone"},
		"the type as the reason": {relation.Judgement{Verdict: "Failed", Type: "Broken", Status: "True", Reason: "Broken",
			Message: "gone"}, "Broken: gone"},
		"the type as the reason, alone": {relation.Judgement{Verdict: "Failed", Type: "Broken", Status: "True", Reason: "Broken"}, "Broken"},
		"a message that has the reason": {relation.Judgement{Verdict: "Failed", Reason: "ERROR", Message: "phase is ERROR"}, "phase is ERROR"},
		"a count of steps of a component": {relation.Judgement{Verdict: "InProgress", Type: "Ready", Status: "False", Reason: "NodeBroken",
			Message: "1 of 2 completed"}, "Ready: 1 of 2 completed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Detail(test.judgement)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

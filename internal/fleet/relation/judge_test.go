// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const shop = `
apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: shops.example.dev}
spec:
  for: {group: example.dev, kind: Shop}
  relations: {parts: {kind: Part.example.dev, owned: true}}
  conditions:
  - type: Ready
    meaning: It is open.
    role: summary
    derive: {summary: {of: [PartsReady, Paid]}}
    reasons: [{reason: Fine, status: "True", meaning: It is.}]
  - type: PartsReady
    meaning: Its parts are ready.
    derive: {aggregate: {of: parts}}
    reasons: [{reason: Fine, status: "True", meaning: They are.}]
  - type: Paid
    aliases: [Payed]
    meaning: The rent is paid.
    reasons:
    - {reason: Fine, status: "True", meaning: It is.}
    - {reason: Overdue, status: "False", severity: Warning, meaning: It is not., remedy: Pay the rent.}
    - {reason: Evicted, status: "False", severity: Error, meaning: Too late.}
`

// TestNew: the condition that explains an object is the worst dependent one, and known to be its own or an echo.
func TestNew(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"shop.yaml": []byte(shop)})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := map[string]struct {
		conditions string
		want       relation.Judgement
	}{
		"fine": {`[{type: Ready, status: "True", reason: Fine}, {type: PartsReady, status: "True", reason: Fine}, {type: Paid, status: "True", reason: Fine}]`,
			relation.Judgement{Verdict: "Current", Ready: true, Type: "Ready", Status: conditions.True, Reason: "Fine",
				Message: "condition Ready is True"}},
		"an echo": {`[{type: Ready, status: "False", reason: Broken}, {type: PartsReady, status: "False", reason: Broken, message: part a, lastTransitionTime: "2026-01-02T03:04:05Z"}, {type: Paid, status: "True", reason: Fine}]`,
			relation.Judgement{Verdict: "Failed", Type: "PartsReady", Status: conditions.False, Reason: "Broken", Message: "part a", Since: at}},
		"its own": {`[{type: Ready, status: "False", reason: Overdue}, {type: PartsReady, status: "Unknown", reason: Late}, {type: Paid, status: "False", reason: Overdue, message: for a year}]`,
			relation.Judgement{Verdict: "InProgress", Type: "Paid", Status: conditions.False, Reason: "Overdue",
				Severity: conditions.SeverityWarning, Message: "for a year", Remedy: "Pay the rent.", Own: true, Budget: 15 * time.Minute,
				Others: []relation.Complaint{{Condition: conditions.Condition{Condition: metav1.Condition{Type: "PartsReady",
					Status: conditions.Unknown, Reason: "Late", Message: "condition PartsReady is Unknown"}}}}}},
		"by an alias": {`[{type: Ready, status: "False", reason: Evicted}, {type: PartsReady, status: "True", reason: Fine}, {type: Payed, status: "False", reason: Evicted}]`,
			relation.Judgement{Verdict: "Failed", Type: "Paid", Status: conditions.False, Reason: "Evicted", Severity: conditions.SeverityError,
				Message: "condition Payed is False", Own: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			if err := yaml.Unmarshal(
				[]byte(`{apiVersion: example.dev/v1, kind: Shop, metadata: {name: a, generation: 1}, spec: {}, status: {observedGeneration: 1, conditions: `+test.conditions+`}}`), &content); err != nil {
				t.Fatal(err)
			}
			got := relation.JudgeBy(pack.Default(set), set, at.Add(time.Hour))(relation.FromContent(content))
			if len(got.Evidence) == 0 || got.Rule == "" {
				t.Errorf("no evidence or rule: %+v", got)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(relation.Judgement{}, "Evidence", "Rule", "Looked")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

const door = `
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
    - {reason: Jammed, status: "False", severity: Warning, meaning: It is not., remedy: Oil it.}
    - {reason: Broken, status: "False", severity: Error, meaning: It cannot be.}
`

// TestNew_ofMany: of many lists the worst explains the object, named by the element that holds it.
func TestNew_ofMany(t *testing.T) {
	set, err := catalog.Load(map[string][]byte{"door.yaml": []byte(door)})
	if err != nil {
		t.Fatal(err)
	}
	lock := func(name, cell string) map[string]any {
		var content map[string]any
		if err := yaml.Unmarshal([]byte(`{name: `+name+`, conditions: [{type: Shut, `+cell+`}]}`), &content); err != nil {
			t.Fatal(err)
		}
		return content
	}
	yes, jammed := lock("a", `status: "True", reason: Closed`), lock("b", `status: "False", reason: Jammed, message: rust`)
	broken := lock("c", `status: "False", reason: Broken`)
	tests := map[string]struct {
		locks []any
		want  string
	}{
		"fine":       {[]any{yes, yes}, "Current Closed condition Shut is True (Shut)"},
		"one is bad": {[]any{yes, jammed}, "InProgress Jammed b: rust (Shut) Oil it."},
		"the worst":  {[]any{broken, jammed, yes}, "Failed Broken c: condition Shut is False (Shut)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for range test.locks {
				test.locks = append(test.locks[1:len(test.locks):len(test.locks)], test.locks[0])
				j := relation.JudgeBy(pack.Default(set), set, time.Time{})(relation.FromContent(map[string]any{"apiVersion": "example.dev/v1", "kind": "Door",
					"metadata": map[string]any{"name": "d"}, "status": map[string]any{"locks": test.locks}}))
				got := string(j.Verdict) + " " + j.Reason + " " + j.Message
				if j.Type != "" {
					got += " (" + j.Type + ")"
				}
				if j.Remedy != "" {
					got += " " + j.Remedy
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

// TestJudge_since: an unhealthy object without a time of its own is so since its condition Ready is not True.
func TestJudge_since(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := map[string]struct {
		ready string
		want  time.Time
	}{
		"not ready":     {`status: "False", lastTransitionTime: "2026-01-02T03:00:00Z"`, now.Add(-4*time.Minute - 5*time.Second)},
		"ready":         {`status: "True", lastTransitionTime: "2026-01-02T03:00:00Z"`, time.Time{}},
		"in the future": {`status: "False", lastTransitionTime: "2026-01-02T03:04:06Z"`, time.Time{}},
		"without time":  {`status: "False"`, time.Time{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			if err := yaml.Unmarshal([]byte(`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {}, status: {phase: Pending,
conditions: [{type: Ready, `+test.ready+`}], containerStatuses: [{name: c, ready: false, state: {waiting: {reason: ImagePullBackOff}}}]}}`),
				&content); err != nil {
				t.Fatal(err)
			}
			j := relation.JudgeBy(pack.Default(&catalog.Set{}), &catalog.Set{}, now)(relation.FromContent(content))
			if j.Fine() || !j.Since.Equal(test.want) {
				t.Errorf("%s since %s, want %s", j.Verdict, j.Since, test.want)
			}
		})
	}
}

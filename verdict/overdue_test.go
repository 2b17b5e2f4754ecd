// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// The deadline of a cell goes before 15 minutes, and the beginning that the controller has stored before the last transition.
func TestOverdue_cell(t *testing.T) {
	cells := map[verdict.Cell]*conditions.Reason{
		{Status: "False", Reason: "AwaitingEcho"}: {Name: "AwaitingEcho", Status: "False", Class: conditions.ClassProgress,
			Deadline: &conditions.Deadline{After: 30 * time.Minute}},
		{Status: "False", Reason: "AwaitingStore"}: {Name: "AwaitingStore", Status: "False", Class: conditions.ClassProgress},
	}
	e := &verdict.Engine{Semantics: func(string, string, string) *verdict.Semantics {
		return &verdict.Semantics{Rule: "catalog/lamps",
			Types: map[string]*verdict.TypeSemantics{"Ready": {Polarity: conditions.Positive, Role: conditions.RoleSummary, Cells: cells}}}
	}}
	for _, test := range []struct{ reason, waits, due string }{
		{"AwaitingEcho", "", "00:30"},
		{"AwaitingStore", "", "00:15"},
		{"AwaitingEcho", `waits: [{type: Other, reason: X, since: "2026-01-01T05:00:00Z"}, {type: Ready, reason: AwaitingEcho, since: "2026-01-01T01:00:00Z"}], `, "01:30"},
		{"AwaitingEcho", `waits: [{type: Ready, reason: AwaitingEcho, since: "2026-01-01T01:00:00Z", until: "2026-01-01T06:00:00Z"}], `, "06:00"},
	} {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(`{apiVersion: example.org/v1, kind: Lamp, status: {`+test.waits+
			`conditions: [{type: Ready, status: "False", reason: `+test.reason+
			`, lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`), &object); err != nil {
			t.Fatal(err)
		}
		if v := e.Judge(object, time.Time{}); v.Due.Format("15:04") != test.due {
			t.Errorf("%s: want due at %s, got %s, %s by %s", test.reason, test.due, v.Due, v.Status, v.Rule)
		}
	}
}

// An object is overdue if it has been in progress for longer than its budget: a deadline of its own, the declared one, or 15 minutes; never
// while waiting is the design. The progress begins with the last transition of the deciding condition or the last write of the spec, or
// else with the newest transition of any, or the creation of an object that was never anything else. Without a time it is never overdue.
func TestOverdue(t *testing.T) {
	at := func(text string) time.Time {
		out, err := time.Parse(time.RFC3339, "2026-01-01T"+text+":00Z")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	lamp := `{apiVersion: example.org/v1, kind: Lamp, `
	waits := `status: {conditions: [{type: Ready, status: "False", reason: WaitingForBulb, lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`
	for name, test := range map[string]struct {
		object string
		due    string // empty: never
	}{
		"15 minutes from the transition": {lamp + `metadata: {creationTimestamp: "2025-01-01T00:00:00Z"}, ` + waits, "00:15"},
		"from the creation without another": {lamp + `metadata: {creationTimestamp: "2026-01-01T00:10:00Z"}, status: {phase: Pending}}`,
			"00:25"},
		"from the last write of the spec": {lamp +
			`metadata: {managedFields: [{manager: a, time: "2026-01-01T01:00:00Z", fieldsV1: {"f:spec": {}}}, {manager: b, time: "2026-01-01T02:00:00Z", fieldsV1: {"f:metadata": {}}}]}, ` + waits, "01:15"},
		"its own timeout":  {lamp + `spec: {timeout: 30m}, ` + waits, "00:30"},
		"its own deadline": {lamp + `spec: {activeDeadlineSeconds: 120}, ` + waits, "00:02"},
		"no deadline of a Deployment": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {replicas: 2}, status: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 1,
				conditions: [{type: Available, status: "False", reason: MinimumReplicasUnavailable, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Progressing, status: "True", reason: ReplicaSetUpdated, lastTransitionTime: "2026-01-01T00:00:00Z", lastUpdateTime: "2026-01-01T00:00:00Z"}]}}`, "00:10"},
		"a rollout of an old Deployment": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2, creationTimestamp: "2025-01-01T00:00:00Z"}, spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 3, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2,
				conditions: [{type: Available, status: "True", reason: MinimumReplicasAvailable, lastTransitionTime: "2025-01-01T00:00:00Z"}, {type: Progressing, status: "True", reason: ReplicaSetUpdated, lastTransitionTime: "2025-01-01T00:00:00Z", lastUpdateTime: "2026-01-01T00:00:00Z"}]}}`, "00:10"},
		"a person is awaited": {lamp +
			`status: {conditions: [{type: Ready, status: "False", reason: WaitingForApproval, lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`, ""},
		"a first consumer is awaited": {lamp +
			`status: {conditions: [{type: Ready, status: "False", reason: WaitForFirstConsumer, lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`, ""},
		"a task runs": {
			`{apiVersion: example.org/v1, kind: LampTest, status: {startTime: "2026-01-01T00:00:00Z", phase: Running}}`, ""},
		"a task has not begun": {
			`{apiVersion: batch/v1, kind: Job, metadata: {creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {}, status: {}}`, "00:15"},
		"a job that runs with a deadline": {
			`{apiVersion: batch/v1, kind: Job, metadata: {creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {activeDeadlineSeconds: 3600}, status: {startTime: "2026-01-01T00:00:00Z", active: 1}}`, "01:00"},
		"what is current is never overdue": {lamp +
			`status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`, ""},
		"an upgrade of an old object, without a time": {lamp +
			`metadata: {generation: 4, creationTimestamp: "2025-01-01T00:00:00Z"}, status: {observedGeneration: 4, phase: ApplyingChanges}}`, ""},
		"a phase of an old object that was never changed": {lamp +
			`metadata: {generation: 1, creationTimestamp: "2025-01-01T00:00:00Z"}, status: {phase: ApplyingChanges}}`, ""},
		"a first phase of an object that was changed": {lamp +
			`metadata: {generation: 2, creationTimestamp: "2025-01-01T00:00:00Z"}, status: {phase: Pending}}`, ""},
		"from the newest transition of others": {lamp + `metadata: {generation: 4, creationTimestamp: "2025-01-01T00:00:00Z"}, status: {phase: ApplyingChanges,
			conditions: [{type: Reachable, status: "True", lastTransitionTime: "2025-02-01T00:00:00Z"}, {type: Licensed, status: "True", lastTransitionTime: "2026-01-01T03:00:00Z"}]}}`, "03:15"},
		"from the last write of the status": {lamp + `metadata: {generation: 4, creationTimestamp: "2025-01-01T00:00:00Z",
			managedFields: [{manager: a, subresource: status, time: "2026-01-01T04:00:00Z"}]}, status: {phase: ApplyingChanges}}`, "04:15"},
		"a write of the spec without a time that was not observed": {lamp + `metadata: {generation: 2, creationTimestamp: "2025-01-01T00:00:00Z"},
			status: {observedGeneration: 1, conditions: [{type: Ready, status: "True", lastTransitionTime: "2025-01-01T00:00:00Z"}]}}`, ""},
		"the first generation that was not observed": {lamp + `metadata: {generation: 1, creationTimestamp: "2026-01-01T05:00:00Z"},
			status: {observedGeneration: 0, conditions: [{type: Ready, status: "True", lastTransitionTime: "2025-01-01T00:00:00Z"}]}}`, "05:15"},
		"a Service that never got an address": {
			`{apiVersion: v1, kind: Service, metadata: {creationTimestamp: "2026-01-01T06:00:00Z"}, spec: {type: LoadBalancer}, status: {loadBalancer: {}}}`, "06:15"},
		"nothing is known about it":           {lamp + `metadata: {creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {size: 1}}`, ""},
		"neither a transition nor a creation": {lamp + `status: {phase: Pending}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte(test.object), &object); err != nil {
				t.Fatal(err)
			}
			v := new(verdict.Engine).Judge(object, at("23:00"))
			due := ""
			if !v.Due.IsZero() {
				due = v.Due.Format("15:04")
			}
			if due != test.due {
				t.Fatalf("want due at %q, got %q, %s by %s, budget %s", test.due, due, v.Status, v.Rule, v.Budget)
			}
			if due != "" && (v.Overdue(v.Due) || !v.Overdue(v.Due.Add(time.Second))) {
				t.Error("it is overdue when its budget is over, and not before")
			}
		})
	}
}

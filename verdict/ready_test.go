// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// TestReady: an object whose top-level condition is not True is never ready, whatever else its status has, unless a declaration makes it
// so. One that serves is ready, also if it is impaired or being changed.
func TestReady(t *testing.T) {
	deployment := func(available string, have int) string {
		return `{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1}, spec: {replicas: 3}, status: {observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: ` +
			string(rune('0'+have)) + `, availableReplicas: ` + string(rune('0'+have)) + `, conditions: [{type: Available, status: "` + available +
			`"}]}}`
	}
	lamp := func(status string) string {
		return `{apiVersion: example.org/v1, kind: Lamp, metadata: {generation: 2}, spec: {}, status: ` + status + `}`
	}
	declared := &verdict.Engine{Semantics: func(_, _, _ string) *verdict.Semantics {
		return &verdict.Semantics{Types: map[string]*verdict.TypeSemantics{"Ready": {Polarity: conditions.Positive, Role: conditions.RoleSummary,
			Cells: map[verdict.Cell]*conditions.Reason{{Status: "False", Reason: "Idle"}: {Name: "Idle", Status: conditions.False,
				Class: conditions.ClassOK}}}}}
	}}
	plain := new(verdict.Engine)
	for name, tc := range map[string]struct {
		engine *verdict.Engine
		object string
		status verdict.Status
		ready  bool
	}{
		"well":      {plain, lamp(`{conditions: [{type: Ready, status: "True"}]}`), verdict.Current, true},
		"not ready": {plain, lamp(`{conditions: [{type: Ready, status: "False"}]}`), verdict.InProgress, false},
		"not known": {plain, lamp(`{conditions: [{type: Ready, status: Unknown}]}`), verdict.InProgress, false},
		"available, but not ready": {plain,
			lamp(`{conditions: [{type: Available, status: "True"}, {type: Ready, status: "False", reason: CheckFailed}]}`), verdict.Degraded, false},
		"ready, but not available": {plain, lamp(`{conditions: [{type: Available, status: "False"}, {type: Ready, status: "True"}]}`),
			verdict.InProgress, true},
		"a good phase, but not available": {plain, lamp(`{phase: Running, conditions: [{type: Available, status: "False", reason: Odd}]}`),
			verdict.Failed, false},
		"flags and numbers that are well": {plain,
			lamp(`{ready: true, replicas: 1, readyReplicas: 1, conditions: [{type: Ready, status: "False", reason: Odd}]}`), verdict.Failed, false},
		"impaired": {plain, lamp(`{conditions: [{type: Ready, status: "True"}, {type: DiskFailed, status: "True"}]}`),
			verdict.Degraded, true},
		"being changed": {plain, lamp(`{conditions: [{type: Ready, status: "True"}, {type: ScalingUp, status: "True"}]}`),
			verdict.InProgress, true},
		"of an older generation": {plain, lamp(`{observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}`),
			verdict.InProgress, false},
		"held": {plain, lamp(`{conditions: [{type: Ready, status: "True"}, {type: Paused, status: "True"}]}`),
			verdict.Suspended, false},
		"a rollout that serves":   {plain, deployment("True", 2), verdict.InProgress, true},
		"a rollout that does not": {plain, deployment("False", 1), verdict.InProgress, false},
		"a catalog says that False is well": {declared, lamp(`{conditions: [{type: Ready, status: "False", reason: Idle}]}`), verdict.Current,
			true},
		"it does not say so of another reason": {declared, lamp(`{conditions: [{type: Ready, status: "False", reason: Broken}]}`), verdict.Failed,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := yaml.YAMLToJSON([]byte(tc.object))
			if err != nil {
				t.Fatal(err)
			}
			if v := judgeRaw(tc.engine, raw, now); v.Status != tc.status || v.Ready != tc.ready {
				t.Errorf("want %s, ready %t, got %s, ready %t, by %s: %s", tc.status, tc.ready, v.Status, v.Ready, v.Rule, v.Message)
			}
		})
	}
}

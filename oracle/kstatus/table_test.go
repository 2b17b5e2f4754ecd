// SPDX-License-Identifier: Apache-2.0

package kstatus

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestTable: a row for each rule of kstatus that a reader would look up. Both engines judge it; Status is what both say, or
// "error", or "panic", which is upstream's alone.
func TestTable(t *testing.T) {
	tests := map[string]struct{ kind, body, status string }{
		"nothing at all":            {"v1 ConfigMap", `{}`, "Current"},
		"deleted":                   {"v1 ConfigMap", `{"metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"}}`, "Terminating"},
		"older generation":          {"example.org/v1 Widget", `{"metadata":{"generation":2},"status":{"observedGeneration":1}}`, "InProgress"},
		"generation is a text":      {"example.org/v1 Widget", `{"metadata":{"generation":2},"status":{"observedGeneration":"2"}}`, "error"},
		"status is a text":          {"example.org/v1 Widget", `{"metadata":{"generation":2},"status":"fine"}`, "error"},
		"reconciling":               {"example.org/v1 Widget", conds("Reconciling", "True"), "InProgress"},
		"stalled":                   {"example.org/v1 Widget", conds("Stalled", "True"), "Failed"},
		"stalled behind ready":      {"example.org/v1 Widget", conds("Ready", "True", "Stalled", "True"), "Failed"},
		"reconciling comes first":   {"example.org/v1 Widget", conds("Reconciling", "True", "Stalled", "True"), "InProgress"},
		"stalled comes first":       {"example.org/v1 Widget", conds("Stalled", "True", "Reconciling", "True"), "Failed"},
		"ready":                     {"example.org/v1 Widget", conds("Ready", "True"), "Current"},
		"not ready":                 {"example.org/v1 Widget", conds("Ready", "False"), "InProgress"},
		"ready unknown":             {"example.org/v1 Widget", conds("Ready", "Unknown"), "InProgress"},
		"ready is odd":              {"example.org/v1 Widget", conds("Ready", "Maybe"), "Current"},
		"other conditions only":     {"example.org/v1 Widget", conds("Broken", "True"), "Current"},
		"conditions are an object":  {"example.org/v1 Widget", `{"status":{"conditions":{}}}`, "error"},
		"deployment without status": {"apps/v1 Deployment", `{"spec":{"replicas":1}}`, "InProgress"},
		"deployment done": {"apps/v1 Deployment",
			`{"spec":{"replicas":2},"status":{"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2,
			"conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"}]}}`,
			"Current"},
		"deployment past its deadline": {"apps/v1 Deployment",
			`{"status":{"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}`, "Failed"},
		"deployment with old pods": {"apps/v1 Deployment",
			`{"spec":{"replicas":1},"status":{"replicas":2,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1,
			"conditions":[{"type":"Available","status":"True"}]}}`, "InProgress"},
		"replica set short":      {"apps/v1 ReplicaSet", `{"spec":{"replicas":2},"status":{"replicas":1}}`, "InProgress"},
		"replica set refused":    {"apps/v1 ReplicaSet", conds("ReplicaFailure", "True"), "InProgress"},
		"stateful set on demand": {"apps/v1 StatefulSet", `{"spec":{"updateStrategy":{"type":"OnDelete"}}}`, "Current"},
		"stateful set in part": {"apps/v1 StatefulSet",
			`{"spec":{"replicas":3,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}}},
			"status":{"replicas":3,"readyReplicas":3,"currentReplicas":2,"updatedReplicas":1}}`, "Current"},
		"stateful set between revisions": {"apps/v1 StatefulSet",
			`{"spec":{"replicas":1},"status":{"replicas":1,"readyReplicas":1,"currentReplicas":1,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}}`, "InProgress"},
		"daemon set not scheduled": {"apps/v1 DaemonSet", `{"metadata":{"generation":1},"status":{"observedGeneration":1}}`, "InProgress"},
		"pod runs and is ready":    {"v1 Pod", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`, "Current"},
		"pod succeeded":            {"v1 Pod", `{"status":{"phase":"Succeeded"}}`, "Current"},
		"pod failed":               {"v1 Pod", `{"status":{"phase":"Failed"}}`, "Current"},
		"pod crashes": {"v1 Pod",
			`{"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`, "Failed"},
		"container status is a text": {"v1 Pod", `{"status":{"phase":"Running","containerStatuses":["x"]}}`, "panic"},
		"claim bound":                {"v1 PersistentVolumeClaim", `{"status":{"phase":"Bound"}}`, "Current"},
		"claim pending":              {"v1 PersistentVolumeClaim", `{"status":{"phase":"Pending"}}`, "InProgress"},
		"balancer without address":   {"v1 Service", `{"spec":{"type":"LoadBalancer"}}`, "InProgress"},
		"job complete":               {"batch/v1 Job", conds("Complete", "True"), "Current"},
		"job failed":                 {"batch/v1 Job", conds("Failed", "True"), "Failed"},
		"job not started":            {"batch/v1 Job", `{"status":{}}`, "InProgress"},
		"definition established":     {"apiextensions.k8s.io/v1 CustomResourceDefinition", conds("Established", "True"), "Current"},
		"definition refused": {"apiextensions.k8s.io/v1 CustomResourceDefinition",
			`{"status":{"conditions":[{"type":"NamesAccepted","status":"False","reason":"NotAccepted"}]}}`, "Failed"},
		"cron job": {"batch/v1 CronJob", `{"status":{"active":[]}}`, "Current"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := json.NewDecoder(strings.NewReader(tt.body))
			d.UseNumber()
			var obj map[string]any
			if err := d.Decode(&obj); err != nil {
				t.Fatal(err)
			}
			obj, _ = whole(obj).(map[string]any)
			version, kind, _ := strings.Cut(tt.kind, " ")
			obj["apiVersion"], obj["kind"] = version, kind
			panicked := compare(t, obj)
			a := ours(obj, time.Now())
			switch {
			case panicked:
				a.Status = "panic"
			case a.Error != "":
				a.Status = "error"
			}
			if a.Status != tt.status {
				t.Errorf("want %s, got %s (%s)", tt.status, a.Status, a.Message+a.Error)
			}
		})
	}
}

// conds returns an object with conditions of the given types and statuses.
func conds(pairs ...string) string {
	var list []map[string]string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]string{"type": pairs[i], "status": pairs[i+1], "reason": "Because", "message": "text"})
	}
	raw, _ := json.Marshal(map[string]any{"status": map[string]any{"conditions": list}})
	return string(raw)
}

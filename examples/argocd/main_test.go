// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalog"
)

const lampCatalog = `apiVersion: tristate.dev/v1alpha1
kind: ConditionCatalog
metadata: {name: lamps.example.org}
spec:
  for: {group: example.org, kind: Lamp}
  conditions:
  - type: Shining
    meaning: It gives light.
    role: summary
    reasons:
    - {reason: Dark, status: "False", class: suspended, meaning: Somebody switched it off.}
    - {reason: Burning, status: "True", meaning: It burns.}
`

func TestRun(t *testing.T) {
	lamps := filepath.Join(t.TempDir(), "lamps.yaml")
	if err := os.WriteFile(lamps, []byte(lampCatalog), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		files        []string
		object, want string
	}{
		"a deployment that rolls out": {
			object: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, generation: 2}, spec: {replicas: 3},
				status: {observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1, unavailableReplicas: 2}}`,
			want: `{"status":"Progressing","message":"1 of 3 replicas available"}`,
		},
		"a config map": {object: `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}`, want: `{"status":"Healthy"}`},
		"a kind of nobody": {
			object: `{apiVersion: example.org/v1, kind: Database, metadata: {name: orders, generation: 3}, status: {observedGeneration: 3, conditions: [
				{type: Ready, status: "False", reason: DiskFailed, message: disk sda is broken, lastTransitionTime: "2026-01-02T03:00:00Z"}]}}`,
			want: `{"status":"Degraded","message":"disk sda is broken"}`,
		},
		"a job that is suspended": {
			object: `{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {suspend: true},
				status: {conditions: [{type: Suspended, status: "True", reason: JobSuspended, message: Job suspended}]}}`,
			want: `{"status":"Suspended","message":"the job is suspended"}`,
		},
		"a kind of a catalog": {
			files: []string{lamps},
			object: `{apiVersion: example.org/v1, kind: Lamp, metadata: {name: desk}, status: {conditions: [
				{type: Shining, status: "False", reason: Dark, message: the switch is off}]}}`,
			want: `{"status":"Suspended","message":"the switch is off"}`,
		},
		"a kind of a shipped catalog": {
			object: `{apiVersion: cluster.x-k8s.io/v1beta1, kind: Machine, metadata: {name: one, generation: 1}, status: {observedGeneration: 1, conditions: [
				{type: Ready, status: "False", severity: Error, reason: InstanceProvisionFailed, message: the quota is used up, lastTransitionTime: "2026-01-02T03:00:00Z"}]}}`,
			want: `{"status":"Degraded","message":"the quota is used up"}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := run(tt.files, strings.NewReader(tt.object), &out, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.TrimSpace(out.String())); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if err := run(nil, strings.NewReader("]"), new(strings.Builder), time.Now()); err == nil {
		t.Error("text that is no object has a health")
	}
	if err := os.WriteFile(lamps, []byte(strings.Replace(lampCatalog, "meaning", "meanign", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var wrong *catalog.Error
	if _, err := NewEngine(lamps); !errors.As(err, &wrong) || wrong.Line != 8 {
		t.Errorf("a catalog with a mistake in line 8: %v", err)
	}
}

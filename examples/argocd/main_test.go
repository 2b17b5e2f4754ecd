// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	tests := map[string]struct{ object, want string }{
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
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := run(strings.NewReader(tt.object), &out, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.TrimSpace(out.String())); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if err := run(strings.NewReader("]"), new(strings.Builder), time.Now()); err == nil {
		t.Error("text that is no object has a health")
	}
}

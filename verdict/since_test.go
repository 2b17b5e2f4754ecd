// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/verdict"
)

// TestSinceWritten: a verdict that rests on fields without a time holds since the status was last written.
func TestSinceWritten(t *testing.T) {
	const (
		created = `"creationTimestamp":"2026-01-02T03:00:00Z","generation":1`
		managed = created + `,"managedFields":[{"manager":"kubectl","time":"2026-01-02T05:00:00Z"},{"subresource":"status","time":"2026-01-02T03:04:00Z"},{"subresource":"status","time":"2026-01-02T03:05:00Z"}]`
	)
	object := func(api, kind, meta, rest string) string {
		return `{"apiVersion":"` + api + `","kind":"` + kind + `","metadata":{` + meta + `},` + rest + `}`
	}
	tests := map[string]struct{ object, want string }{
		"a StatefulSet": {object("apps/v1", "StatefulSet", managed,
			`"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,"readyReplicas":2}`), "2026-01-02T03:05:00Z"},
		"a StatefulSet that is short": {object("apps/v1", "StatefulSet", managed,
			`"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,"readyReplicas":1}`),
			"2026-01-02T03:05:00Z"},
		"a DaemonSet": {object("apps/v1", "DaemonSet", managed,
			`"spec":{},"status":{"observedGeneration":1,"desiredNumberScheduled":1,"currentNumberScheduled":1,"updatedNumberScheduled":1,"numberReady":1,"numberAvailable":1}`),
			"2026-01-02T03:05:00Z"},
		"a ReplicaSet": {object("apps/v1", "ReplicaSet", managed,
			`"spec":{"replicas":1},"status":{"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1}`),
			"2026-01-02T03:05:00Z"},
		"a StatefulSet that does not say": {object("apps/v1", "StatefulSet", created,
			`"spec":{"replicas":1},"status":{"observedGeneration":1,"replicas":1,"readyReplicas":1}`), ""},
		"a StatefulSet nobody looked at": {object("apps/v1", "StatefulSet", created, `"spec":{"replicas":1}`), "2026-01-02T03:00:00Z"},
		"a claim that is bound": {object("v1", "PersistentVolumeClaim", created, `"spec":{},"status":{"phase":"Bound"}`),
			"2026-01-02T03:00:00Z"},
		"a claim that waits": {object("v1", "PersistentVolumeClaim", created, `"spec":{},"status":{"phase":"Pending"}`),
			"2026-01-02T03:00:00Z"},
		"a claim that lost its volume": {object("v1", "PersistentVolumeClaim", managed, `"spec":{},"status":{"phase":"Lost"}`),
			"2026-01-02T03:05:00Z"},
		"it does not say since when": {object("v1", "PersistentVolumeClaim", created, `"spec":{},"status":{"phase":"Lost"}`), ""},
		"a phase": {object("example.org/v1", "Lamp", managed, `"spec":{"size":1},"status":{"phase":"Failed"}`),
			"2026-01-02T03:05:00Z"},
		"a condition says it itself": {object("example.org/v1", "Lamp", managed,
			`"spec":{"size":1},"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:03:00Z"}]}`),
			"2026-01-02T03:03:00Z"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			v := judgeRaw(new(verdict.Engine), []byte(tc.object), now)
			got := ""
			if since := v.Since; !since.IsZero() {
				got = since.UTC().Format(time.RFC3339)
			}
			if got != tc.want {
				t.Errorf("want %q, got %q (%s by %s)", tc.want, got, v.Status, v.Rule)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/verdict"
)

// custom is a custom resource with n healthy conditions.
func custom(n int) map[string]any {
	types := []string{
		"Ready", "DatabaseReady", "NetworkReady", "SecretSynced", "CertificateIssued", "Degraded", "StorageBound",
		"BackupFailed", "Reconciling", "ConfigValid",
	}
	list := make([]any, 0, n)
	for _, typ := range types[:n] {
		status := "True"
		if typ == "Degraded" || typ == "BackupFailed" || typ == "Reconciling" {
			status = "False"
		}
		list = append(list, map[string]any{
			"type": typ, "status": status, "reason": "AsExpected", "message": "all is as it should be",
			"lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(7),
		})
	}
	return map[string]any{
		"apiVersion": "example.org/v1", "kind": "Database",
		"metadata": map[string]any{"name": "orders", "namespace": "shop", "generation": int64(7), "uid": "b0a4"},
		"spec":     map[string]any{"size": "small"},
		"status":   map[string]any{"observedGeneration": int64(7), "conditions": list},
	}
}

func deployment() map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "web", "namespace": "shop", "generation": int64(2)},
		"spec":     map[string]any{"replicas": int64(3)},
		"status": map[string]any{
			"observedGeneration": int64(2), "replicas": int64(3), "updatedReplicas": int64(3), "readyReplicas": int64(3),
			"availableReplicas": int64(3),
			"conditions": []any{
				map[string]any{"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
				map[string]any{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"},
			},
		},
	}
}

func pod() map[string]any {
	cond := func(typ string) any {
		return map[string]any{"type": typ, "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"}
	}
	container := func(name string) any {
		return map[string]any{"name": name, "ready": true, "restartCount": int64(0), "state": map[string]any{"running": map[string]any{}}}
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web-1", "namespace": "shop"},
		"spec": map[string]any{"restartPolicy": "Always"},
		"status": map[string]any{
			"phase": "Running",
			"conditions": []any{cond("Initialized"), cond("PodScheduled"), cond("ContainersReady"), cond("PodReadyToStartContainers"),
				cond("Ready")},
			"containerStatuses": []any{container("app"), container("proxy")},
		},
	}
}

var now = time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC)

func BenchmarkJudge(b *testing.B) {
	for name, obj := range map[string]map[string]any{
		"custom-10": custom(10), "custom-1": custom(1), "deployment": deployment(), "pod": pod(),
	} {
		b.Run(name, func(b *testing.B) {
			e := new(verdict.Engine)
			b.ReportAllocs()
			for b.Loop() {
				v := e.Judge(obj, now)
				if v.Status != verdict.Current {
					b.Fatal(v.Status, v.Message)
				}
			}
		})
	}
}

// BenchmarkMany judges many distinct objects, which the caches of the processor cannot hold.
func BenchmarkMany(b *testing.B) {
	const n = 20000
	objs := make([]map[string]any, n)
	for i := range objs {
		switch i % 10 {
		case 0, 1:
			objs[i] = deployment()
		case 2, 3, 4:
			objs[i] = custom(10)
		default:
			objs[i] = pod()
		}
		objs[i]["metadata"].(map[string]any)["name"] = fmt.Sprint("x", i)
	}
	e := new(verdict.Engine)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		e.Judge(objs[i], now)
		i = (i + 1) % n
	}
}

// TestAllocations: a judgement of a healthy decoded object allocates at most twelve times, for its message and evidence, and one of an
// unhealthy object at most thirty times.
func TestAllocations(t *testing.T) {
	broken := custom(10)
	broken["status"].(map[string]any)["conditions"].([]any)[0].(map[string]any)["status"] = "False"
	stale := custom(3)
	stale["metadata"].(map[string]any)["generation"] = int64(8)
	phase := custom(2)
	phase["status"].(map[string]any)["phase"] = "Provisioning"
	for name, obj := range map[string]map[string]any{
		"custom": custom(10), "broken": broken, "stale": stale, "phase": phase, "deployment": deployment(), "pod": pod(),
	} {
		e := new(verdict.Engine)
		var sink verdict.Verdict
		got := testing.AllocsPerRun(100, func() { sink = e.Judge(obj, now) })
		if most := map[bool]float64{true: 12, false: 30}[sink.Status == verdict.Current]; got > most {
			t.Errorf("%s: want at most %v allocations, got %v (%s)", name, most, got, sink.Status)
		}
	}
}

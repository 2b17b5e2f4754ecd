// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	upstream "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
)

// customResource returns a custom resource with ten healthy conditions.
func customResource(name string) map[string]any {
	types := []string{
		"Ready", "DatabaseReady", "NetworkReady", "SecretSynced", "CertificateIssued", "Degraded", "StorageBound",
		"BackupFailed", "Reconciling", "ConfigValid",
	}
	list := make([]any, 0, len(types))
	for _, typ := range types {
		status := "True"
		switch typ {
		case "Degraded", "BackupFailed", "Reconciling":
			status = "False"
		}
		list = append(list, map[string]any{
			"type": typ, "status": status, "reason": "AsExpected", "message": "all is as it should be",
			"lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(7),
		})
	}
	return map[string]any{
		"apiVersion": "example.org/v1", "kind": "Database",
		"metadata": map[string]any{"name": name, "namespace": "shop", "generation": int64(7)},
		"spec":     map[string]any{"size": "small"},
		"status":   map[string]any{"observedGeneration": int64(7), "conditions": list},
	}
}

// readyPod returns a running pod of two containers.
func readyPod(name string) map[string]any {
	var conds, containers []any
	for _, typ := range []string{"Initialized", "PodScheduled", "ContainersReady", "PodReadyToStartContainers", "Ready"} {
		conds = append(conds, map[string]any{"type": typ, "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"})
	}
	for _, c := range []string{"app", "proxy"} {
		containers = append(containers, map[string]any{
			"name": c, "ready": true, "restartCount": int64(0),
			"state": map[string]any{"running": map[string]any{"startedAt": "2026-01-02T03:04:05Z"}},
		})
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "namespace": "shop"},
		"spec":   map[string]any{"restartPolicy": "Always"},
		"status": map[string]any{"phase": "Running", "conditions": conds, "containerStatuses": containers},
	}
}

func availableDeployment(name string) map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": name, "generation": int64(2)},
		"spec": map[string]any{"replicas": int64(3), "progressDeadlineSeconds": int64(600)},
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

// mixed returns n distinct objects: two tenths Deployments, five Pods, three custom resources.
func mixed(n int) []map[string]any {
	out := make([]map[string]any, n)
	for i := range out {
		name := fmt.Sprint("x", i)
		switch {
		case i%10 < 2:
			out[i] = availableDeployment(name)
		case i%10 < 7:
			out[i] = readyPod(name)
		default:
			out[i] = customResource(name)
		}
	}
	return out
}

// cpu starts to count the processor time of this process and returns a function that reports it for each operation: on a machine that
// others use too it is a better measure than elapsed time.
func cpu(b *testing.B) func() {
	spent := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			b.Fatal(err)
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	start := spent()
	return func() { b.ReportMetric(float64(spent()-start)/float64(b.N), "cpu-ns/op") }
}

// withPacks returns an engine with the shipped catalogs and rule packs.
func withPacks(b *testing.B) *verdict.Engine {
	own, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		b.Fatal(err)
	}
	packs, err := pack.Shipped()
	if err != nil {
		b.Fatal(err)
	}
	return pack.Engine(own, packs)
}

// walk reads the least that any engine needs of an object: its kind, its generations, and type and status of its conditions.
func walk(o map[string]any) int {
	kind, _ := o["kind"].(string)
	version, _ := o["apiVersion"].(string)
	metadata, _ := o["metadata"].(map[string]any)
	status, _ := o["status"].(map[string]any)
	generation, _ := metadata["generation"].(int64)
	observed, _ := status["observedGeneration"].(int64)
	list, _ := status["conditions"].([]any)
	n := len(kind) + len(version) + int(generation+observed)
	for _, item := range list {
		c, _ := item.(map[string]any)
		name, _ := c["type"].(string)
		is, _ := c["status"].(string)
		n += len(name) + len(is)
	}
	return n
}

func BenchmarkVerdict(b *testing.B) {
	now := time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC)
	sets := map[string][]map[string]any{
		"custom resource, 10 conditions": {customResource("orders")},
		"pod":                            {readyPod("web")},
		"deployment":                     {availableDeployment("web")},
		"20000 distinct":                 mixed(20000),
	}
	for name, objects := range sets {
		b.Run(name+"/kstatus", func(b *testing.B) {
			wrapped := make([]*unstructured.Unstructured, len(objects))
			for i, o := range objects {
				wrapped[i] = &unstructured.Unstructured{Object: o}
			}
			b.ReportAllocs()
			defer cpu(b)()
			for i := 0; b.Loop(); i++ {
				if _, err := upstream.Compute(wrapped[i%len(wrapped)]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/bare walk", func(b *testing.B) {
			n := 0
			defer cpu(b)()
			for i := 0; b.Loop(); i++ {
				n += walk(objects[i%len(objects)])
			}
			if n == 0 {
				b.Fatal("nothing was read")
			}
		})
		b.Run(name+"/tristate", func(b *testing.B) {
			e := new(verdict.Engine)
			b.ReportAllocs()
			defer cpu(b)()
			for i := 0; b.Loop(); i++ {
				if v := e.Judge(objects[i%len(objects)], now); v.Status != verdict.Current {
					b.Fatal(v.Status, v.Message)
				}
			}
		})
		b.Run(name+"/tristate, with packs", func(b *testing.B) {
			e := withPacks(b)
			b.ReportAllocs()
			defer cpu(b)()
			for i := 0; b.Loop(); i++ {
				e.Judge(objects[i%len(objects)], now)
			}
		})
	}
}

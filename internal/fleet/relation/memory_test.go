// SPDX-License-Identifier: Apache-2.0

package relation_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// machine returns a Machine of Cluster API as an API server sends it: 3.5 kB of JSON.
func machine(i int) []byte {
	condition := func(kind string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "lastTransitionTime": fmt.Sprintf("2026-01-02T03:%02d:%02dZ", i/60%60, i%60)}
	}
	name := fmt.Sprintf("prod-md-%d-%05d", i/1000, i)
	ref := func(kind string) map[string]any {
		return map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1proposal", "kind": kind, "name": name, "namespace": "default",
			"uid": fmt.Sprintf("0f9e8d7c-0000-4000-8000-%012d", i)}
	}
	bad := condition("InfrastructureReady")
	bad["status"], bad["reason"], bad["severity"], bad["message"] = "False", "WaitingForInfrastructure", "Info",
		fmt.Sprintf("1 of 2 completed for %s", name)
	data, err := json.Marshal(map[string]any{
		"apiVersion": "cluster.x-k8s.io/v1proposal", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": "default", "uid": fmt.Sprintf("1f9e8d7c-0000-4000-8000-%012d", i), "generation": 2,
			"resourceVersion": fmt.Sprint(100000 + i), "creationTimestamp": "2026-01-02T03:04:05Z",
			"labels": map[string]any{"cluster.x-k8s.io/cluster-name": "prod", "cluster.x-k8s.io/deployment-name": fmt.Sprintf("prod-md-%d",
				i/1000), "cluster.x-k8s.io/set-name": fmt.Sprintf("prod-md-%d-a", i/1000)},
			"annotations": map[string]any{"example.org/last-applied": fmt.Sprintf("%0500d", i)},
			"managedFields": []any{map[string]any{"manager": "manager",
				"fieldsV1": map[string]any{"f:spec": map[string]any{"f:bootstrap": map[string]any{}, "f:clusterName": map[string]any{}}}}},
			"ownerReferences": []any{map[string]any{"apiVersion": "cluster.x-k8s.io/v1proposal", "kind": "MachineSet",
				"name": fmt.Sprintf("prod-md-%d-a", i/1000), "uid": fmt.Sprintf("2f9e8d7c-0000-4000-8000-%012d", i/1000), "controller": true,
				"blockOwnerDeletion": true}}},
		"spec": map[string]any{"clusterName": "prod", "version": "v1.31.0", "providerID": fmt.Sprintf("aws:///eu-1a/i-%017d", i),
			"failureDomain": "eu-1a",
			"bootstrap":     map[string]any{"configRef": ref("KubeadmConfig"), "dataSecretName": name}, "infrastructureRef": ref("AWSMachine")},
		"status": map[string]any{"phase": "Running", "observedGeneration": 2, "bootstrapReady": true, "infrastructureReady": true,
			"addresses": []any{map[string]any{"type": "InternalIP", "address": fmt.Sprintf("10.0.%d.%d", i/250%250, i%250)},
				map[string]any{"type": "Hostname", "address": name}},
			"nodeInfo": map[string]any{"kernelVersion": "6.6.0", "osImage": "Linux", "containerRuntimeVersion": "containerd://2.0",
				"kubeletVersion": "v1.31.0", "bootID": fmt.Sprintf("3f9e8d7c-0000-4000-8000-%012d", i)},
			"conditions": []any{condition("Ready"), bad, condition("BootstrapReady"), condition("NodeHealthy"), condition("APIServerPodHealthy"),
				condition("EtcdMemberHealthy")}},
	})
	if err != nil {
		panic(err)
	}
	return data
}

// fill puts n machines into a graph as a watch does: decoded, pruned and added.
func fill(tb testing.TB, set *catalog.Set, n int) *relation.Graph {
	g, fields := relation.NewPacked(set), relation.FieldsOf(set)
	gk := schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Machine"}
	for i := range n {
		var content map[string]any
		if err := json.Unmarshal(machine(i), &content); err != nil {
			tb.Fatal(err)
		}
		g.Put(relation.FromContent(fields.Prune(gk, content)))
	}
	return g
}

func clusterAPI(tb testing.TB) *catalog.Set {
	tb.Helper()
	data, err := os.ReadFile("../../../systems/cluster-api/catalog.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	set, err := catalog.Load(map[string][]byte{"cluster-api.yaml": data})
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkMemory prints the bytes that a watched object costs in a graph, of 100,000.
func BenchmarkMemory(b *testing.B) {
	set := clusterAPI(b)
	for b.Loop() {
		before := heap()
		g := fill(b, set, 100_000)
		b.ReportMetric(float64(heap()-before)/float64(g.Len()), "B/object")
		runtime.KeepAlive(g)
	}
}

// TestMemory holds the bytes of a watched object to the promise: 2 kB.
func TestMemory(t *testing.T) {
	set := clusterAPI(t)
	before := heap()
	g := fill(t, set, 20_000)
	per := float64(heap()-before) / float64(g.Len())
	runtime.KeepAlive(g)
	t.Logf("%.0f bytes an object, of %d bytes of JSON", per, len(machine(12345)))
	if per > 2000 {
		t.Errorf("%.0f bytes an object, more than 2,000", per)
	}
}

// TestMemoryOfTops: finding the objects that are below no other, and building their trees, keeps as much memory for 8,000 objects as for
// 4,000.
func TestMemoryOfTops(t *testing.T) {
	set := clusterAPI(t)
	kept := func(n int) uint64 {
		g := fill(t, set, n)
		v := &relation.View{Graph: g, Still: true, Judge: func(*relation.Object) relation.Judgement { return relation.Judgement{} }}
		g.IndexMembers()
		before := heap()
		tops := v.Tops(g.IDs(schema.GroupKind{}))
		after := heap()
		if len(tops) != n {
			t.Fatalf("%d of %d", len(tops), n)
		}
		runtime.KeepAlive(v)
		return after - min(before, after)
	}
	few, many := kept(4_000), kept(8_000)
	if t.Logf("%d and %d bytes", few, many); many > few+few/2 {
		t.Errorf("%d bytes of 8,000 objects, %d of 4,000", many, few)
	}
}

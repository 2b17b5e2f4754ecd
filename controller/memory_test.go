// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"encoding/json"
	"fmt"
	"github.com/tristate/tristate/systems"
	"runtime"
	"strings"
	"testing"

	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/controller/internal/writeguard"

	"github.com/tristate/tristate/apply"
	public "github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

const capi = "cluster.x-k8s.io"

// TestMemoryPerObject holds what a watched object costs to DESIGN.md section 8: everything that the controller keeps of 10,000
// machines, each far larger than what the catalogs refer to.
func TestMemoryPerObject(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	gk := schema.GroupKind{Group: capi, Kind: "Machine"}
	// nobody is asked
	c, err := New(Options{Config: &rest.Config{Host: "http://127.0.0.1:1"}, Catalogs: &public.Set{Compiled: set},
		Manage: []schema.GroupKind{gk}})
	if err != nil {
		t.Fatal(err)
	}
	c.set.refers = nil // kinds that only references name are not looked for
	const n, limit = 10000, 1024
	s := &watchset.Source{Kind: gk, Sink: objects{c}, Prune: c.fields.Prune,
		Look: func(content map[string]any) any {
			return writeguard.StandingOf(content, set.Kind(gk), apply.Manager)
		}}
	w := s.Watch(nil)
	before, size := heap(), 0
	for i := range n {
		text := largeMachine(i)
		size += len(text)
		o := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range c.graph.List(gk) {
		c.queue.Add(o.ID) // as when every kind is listed
	}
	for range n {
		id, wait := c.queue.TryGet()
		if wait >= 0 {
			t.Fatal("an object is not judged")
		}
		k := set.Kind(gk)
		list, _ := wire.FromUnstructured(k.List(c.graph.Get(id).Content))
		c.metrics.observe(k.Declaration, id, list)
		c.queue.Done(id)
	}
	each := int(heap()-before) / n
	t.Logf("%d machines of %d bytes of JSON: %d bytes of heap each", c.graph.Len(), size/n, each)
	if each > limit {
		t.Errorf("%d bytes an object, want at most %d", each, limit)
	}
	runtime.KeepAlive(c)
	runtime.KeepAlive(s)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// largeMachine is a machine with much that no catalog refers to.
func largeMachine(i int) string {
	const filler = "something that nobody who derives conditions wants to know about this machine"
	var managed, addresses []string
	for j := range 6 {
		managed = append(managed, fmt.Sprintf(`{"manager":"m%d","operation":"Apply","fieldsV1":{"f:status":{"f:%d":{"f:x":{},"f:y":{}}}}}`, j, j))
		addresses = append(addresses, fmt.Sprintf(`{"type":"InternalIP","address":"10.0.%d.%d","note":"%s"}`, i%250, j, filler))
	}
	c := `{"type":"%s","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"}`
	return fmt.Sprintf(`{"apiVersion":"%s/v1proposal","kind":"Machine","metadata":{"name":"m-%05d","namespace":"fleet","uid":"00000000-0000-4000-8000-%012d",
"resourceVersion":"%d","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z","annotations":{"a":"%s"},"managedFields":[%s],
"ownerReferences":[{"apiVersion":"%s/v1proposal","kind":"KubeadmControlPlane","name":"cp-%d","uid":"u-%d"}]},
"spec":{"clusterName":"c-%d","version":"v1.30.0","providerID":"%s","infrastructureRef":{"apiVersion":"%s/v1proposal","kind":"AWSMachine","name":"m-%05d"}},
"status":{"phase":"Running","addresses":[%s],"conditions":[%s,%s,%s]}}`, capi, i, i, i+1, filler, strings.Join(managed, ","),
		"controlplane.cluster.x-k8s.io", i/20, i/20,
		i/20, filler, "infrastructure.cluster.x-k8s.io", i, strings.Join(addresses, ","), fmt.Sprintf(c, "Ready"),
		fmt.Sprintf(c, "InfrastructureReady"), fmt.Sprintf(c, "BootstrapReady"))
}

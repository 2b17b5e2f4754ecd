// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scaled are the resources of a sandbox with its policies.
var scaled = []string{"karssandboxes", "toolpolicies", "inferencepolicies", "karsmemories", "mcpservers", "egressapprovals"}

// TestScale: sandboxes with five policies each come up with one request for each changed status, each with at least one transition, and
// nothing is written afterwards. TRISTATE_KARS_SCALE is the number of sandboxes: make scale in this folder runs 1,000. Their routers are
// the state and the server of kars-router in one process; see [hall].
func TestScale(t *testing.T) {
	sandboxes := world.Number(t, "TRISTATE_KARS_SCALE", 8)
	w := bare(t, nil)
	w.keys.Store(keySet(t))
	var watched []world.Resource
	for _, plural := range scaled {
		watched = append(watched, world.Resource{GVR: api.GroupVersion.WithResource(plural), Kind: resources[plural]})
	}
	seen := w.Watch(t, watched...)
	w.options.Routers = &http.Client{Transport: newHall(t, w.World, w.options.MemoryEndpoint)}
	// 15 s in a cluster: not each router five times a second
	w.options.RouterPoll = max(w.options.RouterPoll, time.Duration(sandboxes)*5*time.Millisecond)
	var sent world.Traffic
	w.Config.Wrap(sent.Wrap) // for the operator: every other client exists already
	w.run(t)

	started := time.Now()
	var group errgroup.Group
	group.SetLimit(4)
	namespaces := []string{}
	for range (sandboxes + 99) / 100 {
		namespaces = append(namespaces, w.NewNamespace(t))
	}
	for i := range sandboxes {
		group.Go(func() error {
			for _, o := range w.tenant(namespaces[i/100], fmt.Sprintf("s%04d", i)) {
				if err := w.API.Create(t.Context(), o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	objects := sandboxes * len(scaled)
	world.Patiently(t, time.Duration(sandboxes)*5*time.Second, seen.Settled(t, objects, func(_ string, cells map[string]string) bool {
		return strings.HasPrefix(cells["Ready"], "True")
	}))
	took := time.Since(started)
	world.Patiently(t, world.Patience, sent.Quiet(world.Request.Writes))
	statuses := func(r world.Request) bool { return r.Subresource == "status" }
	world.Patiently(t, world.Patience, func() error {
		if writes, changes := int64(sent.Count(statuses)), seen.Changes.Load(); writes != changes {
			return fmt.Errorf("%d status requests for %d changed statuses", writes, changes)
		}
		return nil
	})
	if n := seen.Still.Load(); n > 0 {
		t.Errorf("%d of %d statuses changed without a transition", n, seen.Changes.Load())
	}

	before := sent.All()
	idle := 5 * time.Second
	if sandboxes > 100 {
		idle = time.Minute
	}
	time.Sleep(idle) // the measurement
	if writes := sent.Since(before, world.Request.Writes); len(writes) > 0 {
		t.Errorf("writes in %s in which nothing happens: %v", idle, writes)
	}

	with := world.Heap()
	if err := w.Stop(); err != nil {
		t.Error(err)
	}
	w.operator = nil
	memory := float64(with-world.Heap()) / 1024 / float64(sandboxes)
	t.Logf("%d sandboxes with 5 policies each: %d objects ready in %s, %d children\n"+
		"%d requests that write, %d of them of a status, for %d changed statuses with %d transitions\n"+
		"0 writes in %s in which nothing happens\n%.0f KiB of heap for each sandbox",
		sandboxes, objects, took.Round(100*time.Millisecond),
		sent.Count(func(r world.Request) bool { return r.Created() && r.Resource != "events" && r.Resource != "leases" }),
		sent.Count(world.Request.Writes), sent.Count(statuses), seen.Changes.Load(), seen.Transitions.Load(), idle, memory)
}

// tenant returns a sandbox and its policies.
func (w *kars) tenant(ns, name string) []client.Object {
	tools, models := newToolPolicy(ns, name), newInferencePolicy(ns, name)
	sandbox := newSandbox(ns, name)
	sandbox.Spec.InferenceRef.Name, sandbox.Spec.MemoryRef = name, &api.NameRef{Name: name}
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: name}, McpServerRefs: []api.NameRef{{Name: name}}}
	return []client.Object{
		tools, models,
		&api.KarsMemory{ObjectMeta: meta(ns, name), Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}},
		&api.McpServer{ObjectMeta: meta(ns, name), Spec: api.McpServerSpec{URL: "https://mcp.example.com", ProductionMode: true,
			OAuth: &api.McpOAuth{Issuer: w.issuer}}},
		sandbox,
		&api.EgressApproval{ObjectMeta: meta(ns, name),
			Spec: api.EgressApprovalSpec{Sandbox: name, Hosts: []api.Endpoint{{Host: name + ".example.com"}}, Reason: "an incident", TTL: "P1D"}},
	}
}

// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/proof/plane/recorded"
	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// before is what the operator of commit 86c8337 wrote: that commit with this file and those that it needs in it, run with
//
//	TRISTATE_RECORD=1 go test ./kars -run TestUpgrade
//
// It is made in the same way when a version is released.
const before = "testdata/before.yaml"

// TestUpgrade: this version takes over what the version before wrote without a needless write: a sandbox that runs with a policy of each
// kind, a grant in force, an evaluation, and all children.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	const ns, name = "team-before", "before"
	w := bare(t, nil)
	w.options.Routers = &http.Client{Transport: newHall(t, w.World, w.options.MemoryEndpoint)}
	w.options.PushURL, w.options.MemoryEndpoint = "http://kars-operator.invalid", "http://memory.invalid" // parts of what is written
	kinds := []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("Namespace")}
	for _, kind := range resources {
		kinds = append(kinds, api.GroupVersion.WithKind(kind))
	}
	slices.SortFunc(kinds[1:], func(a, b schema.GroupVersionKind) int { return strings.Compare(a.Kind, b.Kind) })
	kinds = append(kinds, childKinds[1:]...)
	keep := func(o *unstructured.Unstructured) bool {
		switch o.GetKind() {
		case "Namespace":
			return o.GetName() == ns || o.GetName() == kit.SandboxNamespace(name)
		case "Deployment", "ConfigMap", "Secret", "Service", "ServiceAccount", networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy").Kind:
			return o.GetLabels()[child.LabelManaged] == kit.Manager && (o.GetNamespace() == ns || o.GetNamespace() == kit.SandboxNamespace(name))
		case "TrustGraph":
			return o.GetName() == name
		}
		return o.GetNamespace() == ns
	}
	var sent world.Traffic
	grant := &api.EgressApproval{ObjectMeta: meta(ns, name)}
	sandbox := newSandbox(ns, name)
	if recorded.Making() {
		w.Config.Wrap(sent.Wrap)
		w.run(t)
		w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}})
		for _, o := range w.everything(ns, name) {
			w.Create(t, o)
		}
		w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
		w.Seen.Reach(t, grant, "Ready=True RouterConfirmed")
		world.Patiently(t, world.Patience, sent.Quiet(world.Request.Writes))
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
		data, err := recorded.Save(t.Context(), w.API, kinds, keep)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(before, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	record, err := recorded.Restore(t.Context(), w.API, w.Admin, data, kinds, keep)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(grant), grant); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Until(grant.CreationTimestamp.Add(10 * time.Minute))) // the grant is in force
	world.Eventually(t, func() error {
		var list appsv1.DeploymentList
		if err := w.API.List(t.Context(), &list, client.InNamespace(kit.SandboxNamespace(name))); err != nil {
			return err
		}
		for _, d := range list.Items {
			if d.Status.ObservedGeneration != d.Generation || d.Status.AvailableReplicas != *d.Spec.Replicas || len(d.Status.Conditions) < 2 {
				return fmt.Errorf("Deployment %s is not available: %+v", d.Name, d.Status)
			}
		}
		return nil
	})
	if err := record.Note(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Config.Wrap(sent.Wrap)
	w.run(t)
	// A sandbox that is made now shows that the operator works.
	fresh := w.NewNamespace(t)
	models := newInferencePolicy(fresh, "models")
	after := newSandbox(fresh, "after")
	w.Create(t, models)
	w.Create(t, after)
	w.Seen.Reach(t, after, "Ready=True RouterEnforcing")
	w.Wake(t)
	world.Patiently(t, world.Patience, sent.Quiet(world.Request.Writes))
	changed, err := record.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) > 0 {
		t.Errorf("over what the version before wrote there was written\n  %s", strings.Join(changed, "\n  "))
	}
	if n := w.total(t, "kars_controller_children_repaired_total"); n > 0 {
		t.Errorf("%v children count as repaired", n)
	}
	t.Logf("requests that write, those of the new sandbox among them: %d", sent.Count(world.Request.Writes))
}

// everything returns a sandbox that runs with an object of each kind.
func (w *kars) everything(ns, name string) []client.Object {
	sandbox := newSandbox(ns, name)
	sandbox.Spec.InferenceRef.Name, sandbox.Spec.MemoryRef = name, &api.NameRef{Name: name}
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: name}, McpServerRefs: []api.NameRef{{Name: name}}}
	sandbox.Spec.NetworkPolicy = &api.NetworkSpec{AllowedEndpoints: []api.Endpoint{{Host: "inline.example.com"}}}
	return []client.Object{
		newToolPolicy(ns, name), newInferencePolicy(ns, name),
		&api.KarsMemory{ObjectMeta: meta(ns, name), Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}},
		&api.McpServer{ObjectMeta: meta(ns, name), Spec: api.McpServerSpec{URL: "https://mcp.example.com"}},
		&api.A2AAgent{ObjectMeta: meta(ns, name), Spec: api.A2AAgentSpec{EndpointURL: "https://agent.example.com",
			SigningKeys: []api.SigningKey{{Kid: "k1", PublicKeyB64u: keyOf(1).b64}}}},
		&api.TrustGraph{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: api.TrustGraphSpec{Vertices: []api.TrustVertex{{ID: "a", PublicKeyB64u: keyOf(1).b64}}}},
		&api.KarsEval{ObjectMeta: meta(ns, name), Spec: api.KarsEvalSpec{TargetSandboxRef: api.NameRef{Name: name},
			Corpus: api.CorpusSource{Builtin: "banned-tools"}}},
		sandbox,
		&api.EgressApproval{ObjectMeta: meta(ns, name),
			Spec: api.EgressApprovalSpec{Sandbox: name, Hosts: []api.Endpoint{{Host: "granted.example.com"}}, Reason: "an incident", TTL: "PT1H"}},
	}
}

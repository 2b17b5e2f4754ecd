// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tenants tests two tenants with sandboxes of one name: the second one gets a reason, and nothing of the first one's. It tries it in all
// the ways that touch the namespace: as a sandbox that runs, in overlay mode with a grant, and with a list that cannot be verified.
func tenants(t *testing.T, w *kars) {
	first, second := w.NewNamespace(t), w.NewNamespace(t)
	for _, ns := range []string{first, second} {
		w.Create(t, newInferencePolicy(ns, "models"))
	}
	mine := newSandbox(first, "namesake")
	mine.Spec.NetworkPolicy = &api.NetworkSpec{AllowedEndpoints: []api.Endpoint{{Host: "good.example.com"}}}
	w.Create(t, mine)
	w.Seen.Reach(t, mine, "Ready=True RouterEnforcing")
	statuses, written := w.Seen.Count(t)[world.Key(mine)], w.versions(t, "namesake")

	theirs := newSandbox(second, "namesake")
	w.Create(t, theirs)
	w.Seen.Reach(t, theirs, "Ready=False Failed", "!Degraded")
	if c, want := w.Condition(t, theirs, "Ready"), fmt.Sprintf("Namespace kars-namesake belongs to KarsSandbox %s/namesake",
		first); c.Message != want {
		t.Errorf("message %q, want %q", c.Message, want)
	}
	world.Edit(t, w.World, theirs, func(s *api.KarsSandbox) {
		s.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "other"}}
	})
	world.Eventually(t, func() error { return w.Judged(t, theirs, "Ready") })
	grant := &api.EgressApproval{ObjectMeta: meta(second, "opener"), Spec: api.EgressApprovalSpec{Sandbox: "namesake",
		Hosts:  []api.Endpoint{{Host: "evil.example.com"}},
		Reason: "an incident", TTL: "PT1H"}}
	w.Create(t, grant)
	w.Seen.Reach(t, grant, "Ready=False BlockedOnSandbox")
	missing := w.publish(t, "lists", allowlistType, list(t, 9, "x.example.com"))
	missing.Digest = "sha256:" + strings.Repeat("1", 64)
	world.Edit(t, w.World, theirs, func(s *api.KarsSandbox) {
		s.Spec.UpstreamCompatibility, s.Spec.NetworkPolicy = nil, &api.NetworkSpec{AllowlistRef: &missing}
	})
	w.Seen.Reach(t, theirs, "Ready=False FailedClosed")
	w.Wake(t)
	w.Remove(t, grant)
	w.Gone(t, grant)
	w.Remove(t, theirs)
	w.Gone(t, theirs)

	if n := w.Seen.Count(t)[world.Key(mine)]; n != statuses {
		t.Errorf("the status of the first sandbox was written %d times", n-statuses)
	}
	for name, version := range w.versions(t, "namesake") {
		if version != written[name] {
			t.Errorf("%s of the first sandbox was written, or is new", name)
		}
	}
	if len(written) < 6 {
		t.Errorf("the first sandbox has only %v", written)
	}

	// The name is free for the second one once the first one is gone.
	w.Create(t, &api.KarsSandbox{ObjectMeta: meta(second, "namesake"), Spec: newSandbox(second, "namesake").Spec})
	w.Seen.Reach(t, theirs, "Ready=False Failed")
	w.Remove(t, mine)
	w.Gone(t, mine)
	w.Seen.Reach(t, theirs, "Ready=True RouterEnforcing")
	w.Leave(t, theirs)
}

// versions returns the children of a sandbox with the versions of their content: of the workload the generation, as its status changes, of
// others the resource version.
func (w *kars) versions(t *testing.T, sandbox string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range w.components(t, sandbox) {
		version := o.GetResourceVersion()
		if o.GetObjectKind().GroupVersionKind().Kind == "Deployment" {
			version = fmt.Sprint(o.GetUID(), o.GetGeneration())
		}
		out[o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetName()] = version
	}
	return out
}

// components returns the children of a sandbox.
func (w *kars) components(t *testing.T, sandbox string) (out []client.Object) {
	t.Helper()
	for _, gvk := range childKinds {
		for _, item := range w.Objects(t, gvk) {
			if namespace := kit.SandboxNamespace(sandbox); item.GetNamespace() == namespace && item.GetLabels()[kit.LabelSandbox] != "" ||
				gvk.Kind == "Namespace" && item.GetName() == namespace {
				out = append(out, &item)
			}
		}
	}
	return out
}

// strangers tests that an object with the name of a child is left alone, whoever made it, and that a child of another owner is.
func strangers(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	// A namespace of somebody who has put the operator's labels on it.
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kars-squatted",
		Labels: map[string]string{"app.kubernetes.io/managed-by": "kars-operator",
			kit.LabelSandbox: "squatted", kit.LabelSandboxOwner: ns}}}
	w.Create(t, space)
	events, err := w.dynamic(t).Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(space.Name).Watch(t.Context(),
		metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "squatted")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=False Failed")
	if c := w.Condition(t, sandbox, "Ready"); c.Message != "Namespace kars-squatted exists and was not created by kars-operator" {
		t.Errorf("message %q", c.Message)
	}
	w.Remove(t, sandbox)
	w.Gone(t, sandbox)
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(space), space); err != nil || !space.DeletionTimestamp.IsZero() {
		t.Errorf("the namespace of somebody else was deleted: %v", err)
	}
	for {
		select {
		case e := <-events.ResultChan():
			if o, ok := e.Object.(client.Object); ok && e.Type == watch.Added && o.GetName() != "kube-root-ca.crt" {
				t.Errorf("ConfigMap %s was written into the namespace of somebody else", o.GetName())
			}
			continue
		default:
		}
		break
	}
}

// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// selected tests selectors of policies: a sandbox that names a policy which does not select it does not run, and it does once it is
// selected.
func selected(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	models, tools := newInferencePolicy(ns, "models"), newToolPolicy(ns, "tools")
	memory := &api.KarsMemory{ObjectMeta: meta(ns, "notes"), Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}}
	sandbox := newSandbox(ns, "chosen")
	sandbox.Labels["team"] = "blue"
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}}
	for _, o := range []client.Object{models, tools, memory, sandbox} {
		w.Create(t, o)
	}
	blocked := func(want string) {
		t.Helper()
		w.Seen.Reach(t, sandbox, "Ready=False SpecInvalid", "!Degraded")
		world.Eventually(t, func() error { return w.Judged(t, sandbox, "Ready") })
		if c := w.Condition(t, sandbox, "Ready"); !strings.Contains(c.Message, want) {
			t.Errorf("message %q, want %q in it", c.Message, want)
		}
	}
	blocked("ToolPolicy tools does not apply to this sandbox")
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Labels["team"] = "red" })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing")
	world.Edit(t, w.World, tools, func(p *api.ToolPolicy) { p.Spec.AppliesTo.SandboxMatchLabels = map[string]string{"team": "green"} })
	blocked("ToolPolicy tools does not apply to this sandbox")
	world.Edit(t, w.World, tools, func(p *api.ToolPolicy) { p.Spec.AppliesTo.SandboxMatchLabels = team })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	world.Edit(t, w.World, models, func(p *api.InferencePolicy) { p.Spec.AppliesTo.SandboxMatchLabels = map[string]string{"team": "green"} })
	blocked("InferencePolicy models does not apply to this sandbox")
	world.Edit(t, w.World, models, func(p *api.InferencePolicy) { p.Spec.AppliesTo.SandboxMatchLabels = nil })
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")

	// A memory that is given to a sandbox is that sandbox's, for good.
	world.Edit(t, w.World, memory, func(m *api.KarsMemory) { m.Spec.SandboxRef = &api.NameRef{Name: "other"} })
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.MemoryRef = &api.NameRef{Name: "notes"} })
	blocked("KarsMemory notes is that of sandbox other")
	for what, patch := range map[string]string{"another sandbox": `{"spec":{"sandboxRef":{"name":"chosen"}}}`,
		"no sandbox": `{"spec":{"sandboxRef":null}}`} {
		if err := w.API.Patch(t.Context(), memory, client.RawPatch(types.MergePatchType, []byte(patch))); !apierrors.IsInvalid(err) {
			t.Errorf("a memory has %s: %v", what, err)
		}
	}
	eval := &api.KarsEval{ObjectMeta: meta(ns, "eval"), Spec: api.KarsEvalSpec{TargetSandboxRef: api.NameRef{Name: "chosen"}}}
	w.Create(t, eval)
	if err := w.API.Patch(t.Context(), eval,
		client.RawPatch(types.MergePatchType, []byte(`{"spec":{"targetSandboxRef":{"name":"other"}}}`))); !apierrors.IsInvalid(err) {
		t.Errorf("the results of one sandbox become those of another: %v", err)
	}
	for what, n := range map[string]*api.NetworkSpec{"defaultDeny: false": {DefaultDeny: ptr.To(false)},
		"egressMode: Learn": {EgressMode: "Learn"}} {
		open := newSandbox(ns, "open")
		open.Spec.NetworkPolicy = n
		if err := w.API.Create(t.Context(), open); !apierrors.IsInvalid(err) {
			t.Errorf("%s is admitted and nobody does it: %v", what, err)
		}
	}
	w.Remove(t, eval)
	w.Leave(t, sandbox)
}

// apart tests that the agent of a sandbox has the router and nothing else: the API server admits its pods by the restricted profile, the
// agent gets an address and a token, and the token of the operator is no token of the agent.
func apart(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "apart")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	namespace := kit.SandboxNamespace("apart")
	var service corev1.Service
	var agent, router appsv1.Deployment
	for name, o := range map[string]client.Object{"apart": &router, "apart-agent": &agent} {
		if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "apart"}, &service); err != nil {
		t.Fatal(err)
	}
	pod := encode(t, agent.Spec.Template.Spec)
	for _, want := range []string{"http://agent:$(KARS_TOKEN)@" + service.Spec.ClusterIP + ":3128", "http://" + service.Spec.ClusterIP +
		":8080", kit.AgentTokenSecret} {
		if !strings.Contains(pod, want) {
			t.Errorf("the agent has no %s:\n%s", want, pod)
		}
	}
	if strings.Contains(pod, kit.TokenSecret) {
		t.Errorf("the agent has the token of the operator:\n%s", pod)
	}
	if code, err := w.asAgent(t, "apart", "/internal/policy-status"); err != nil || code != http.StatusNotFound {
		t.Errorf("the agent asks for the status of the router: %d, %v", code, err)
	}

	// A pod that is not restricted does not get in, whoever makes it.
	rogue := &corev1.Pod{ObjectMeta: meta(namespace, "rogue"),
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "rogue", Image: "rogue"}}}}
	if err := w.API.Create(t.Context(), rogue); !apierrors.IsForbidden(err) {
		t.Errorf("a pod with privileges is admitted: %v", err)
	}

	// A Service that is made anew has another address, which the agent gets.
	uid := service.UID
	w.Remove(t, &service)
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(&service), &service); err != nil {
			return err
		}
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(&agent), &agent); err != nil {
			return err
		}
		if pod := encode(t, agent.Spec.Template.Spec); service.UID == uid || !strings.Contains(pod, service.Spec.ClusterIP+":3128") {
			return fmt.Errorf("the Service is at %s, and the agent has\n%s", service.Spec.ClusterIP, pod)
		}
		return nil
	})
	w.Leave(t, sandbox)
}

// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/egressapproval"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// grantsEnd tests that a grant is over when its file is gone, and not before: removal that is refused at the expiry, a status that is lost,
// a copy without status, files that no grant answers for, and a reference that must not move.
func grantsEnd(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "ending")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	approval := func(name string) *api.EgressApproval {
		return &api.EgressApproval{ObjectMeta: meta(ns, name), Spec: api.EgressApprovalSpec{Sandbox: "ending",
			Hosts:  []api.Endpoint{{Host: name + ".example.com"}},
			Reason: "an incident", TTL: "PT20M"}}
	}
	one := approval("one")
	one.Annotations = map[string]string{"kars.azure.com/effective-at": "2099-01-01T00:00:00Z"} // its author gives it no time
	w.Create(t, one)
	w.Seen.Reach(t, one, "Ready=True RouterConfirmed")
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(one), one); err != nil {
		t.Fatal(err)
	}
	moved := one.DeepCopy()
	moved.Spec.Sandbox = "another"
	if err := w.API.Update(t.Context(), moved); !apierrors.IsInvalid(err) {
		t.Errorf("spec.sandbox was moved: %v", err)
	}

	allow := w.deny(t, kit.SandboxNamespace("ending"), kit.ApprovalsName("ending"))
	w.Later(t, 30*time.Minute)
	w.Seen.Reach(t, one, "Ready=False Failed", "Degraded=True Failed", "Progressing=False Failed")
	if !w.published(t, "ending", "one") {
		t.Error("the file is gone, though its removal is refused")
	}
	two := approval("two")
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	w.run(t) // a new process finds it again
	allow()
	w.Seen.Reach(t, one, "Ready=False Expired", "Degraded=True Expired", "Progressing=False Reconciled")
	if w.published(t, "ending", "one") {
		t.Error("Expired is stored, and the file is there")
	}

	// A status that is lost, with whatever the author writes, and a copy that never had one, do not bring it back.
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(one), one); err != nil {
		t.Fatal(err)
	}
	annotations := one.Annotations
	if annotations["kars.azure.com/expired-at"] == "" {
		t.Errorf("the end is not noted for copies: %v", annotations)
	}
	world.Edit(t, w.World, one, func(o *api.EgressApproval) {
		o.Annotations = map[string]string{"kars.azure.com/effective-at": "2099-01-01T00:00:00Z"}
	})
	if err := w.API.Status().Patch(t.Context(), one,
		client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/status","value":{}}]`))); err != nil {
		t.Fatal(err)
	}
	w.Seen.Reach(t, one, "Ready=False Expired")
	restored := approval("one")
	restored.Annotations = annotations
	w.Remove(t, one)
	w.Gone(t, one)
	w.Create(t, restored)
	w.Seen.Reach(t, restored, "Ready=False Expired")
	if w.published(t, "ending", "one") {
		t.Error("a restored grant was published again")
	}

	// Nobody answers for a file: it goes.
	w.Create(t, two)
	w.Seen.Reach(t, two, "Ready=True RouterConfirmed")
	files := &corev1.ConfigMap{ObjectMeta: meta(kit.SandboxNamespace("ending"), kit.ApprovalsName("ending"))}
	world.Edit(t, w.World, files, func(c *corev1.ConfigMap) { c.Data[egressapproval.Key("evil")] = c.Data[egressapproval.Key("two")] })
	w.goes(t, "ending", "evil")

	// A grant that is deleted while its removal is refused stays until the file is gone.
	allow = w.deny(t, kit.SandboxNamespace("ending"), kit.ApprovalsName("ending"))
	w.Remove(t, two)
	w.Seen.Reach(t, two, "Ready=False Failed")
	allow()
	w.Gone(t, two)
	w.goes(t, "ending", "two")
	w.Remove(t, restored)
	w.Leave(t, sandbox)
}

// overlaid tests a sandbox whose Pod another controller runs from the beginning: Ready, so that its grants are compiled and wait for a
// router ("controller compiled the overlay but router has not yet POSTed back the loaded digest").
func overlaid(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "overlaid")
	sandbox.Spec.UpstreamCompatibility = &api.UpstreamSpec{SigsAgentSandbox: "overlay", UpstreamSandboxRef: &api.NameRef{Name: "theirs"}}
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True OverlayMode", "!RuntimeReady")
	grant := &api.EgressApproval{ObjectMeta: meta(ns, "grant"), Spec: api.EgressApprovalSpec{Sandbox: "overlaid",
		Hosts: []api.Endpoint{{Host: "granted.example.com"}}, Reason: "an incident", TTL: "PT1H"}}
	w.Create(t, grant)
	w.Seen.Reach(t, grant, "Ready=False AwaitingRouterEcho", "Progressing=True AwaitingRouterEcho", "Degraded=False Reconciled")
	world.Eventually(t, func() error { // its time is stored before its file is there
		if !w.published(t, "overlaid", "grant") {
			return fmt.Errorf("the grant waits for a router, and its file is not there")
		}
		return nil
	})
	w.Leave(t, grant)
	w.Leave(t, sandbox)
}

// published reports whether the file of a grant is in the ConfigMap of its sandbox.
func (w *kars) published(t *testing.T, sandbox, grant string) bool {
	t.Helper()
	var files corev1.ConfigMap
	err := w.API.Get(t.Context(), client.ObjectKey{Namespace: kit.SandboxNamespace(sandbox), Name: kit.ApprovalsName(sandbox)}, &files)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	_, there := files.Data[egressapproval.Key(grant)]
	return there
}

// goes waits until the file of a grant is gone.
func (w *kars) goes(t *testing.T, sandbox, grant string) {
	t.Helper()
	world.Eventually(t, func() error {
		if w.published(t, sandbox, grant) {
			return fmt.Errorf("the file of %s is still there", grant)
		}
		return nil
	})
}

// deny has the API server refuse changes of a ConfigMap until allow is called; without a name changes and creation of all of the namespace.
func (w *kars) deny(t *testing.T, namespace, name string) (allow func()) {
	t.Helper()
	operations, other := []admissionv1.OperationType{admissionv1.Update}, fmt.Sprintf(" || object.metadata.name != %q", name)
	if name == "" {
		operations, other, name = append(operations, admissionv1.Create), "", "probe"
	}
	policy := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{GenerateName: "deny-"},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{
				{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: operations,
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}}}}},
			Validations: []admissionv1.Validation{{Expression: fmt.Sprintf("object.metadata.namespace != %q", namespace) + other,
				Message: "not now"}}}}
	w.Create(t, policy)
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}}
	w.Create(t, binding)
	probe := &corev1.ConfigMap{ObjectMeta: meta(namespace, name)}
	refused := func() bool {
		var err error
		if name == "probe" {
			err = w.API.Create(context.Background(), probe.DeepCopy(), client.DryRunAll)
		} else {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"probe":"x"}}}`))
			err = w.API.Patch(context.Background(), probe, patch, client.DryRunAll)
		}
		return err != nil && strings.Contains(err.Error(), "not now")
	}
	world.Eventually(t, func() error {
		if !refused() {
			return fmt.Errorf("the policy is not in force yet")
		}
		return nil
	})
	return func() {
		t.Helper()
		w.Remove(t, binding)
		w.Remove(t, policy)
		world.Eventually(t, func() error {
			if refused() {
				return fmt.Errorf("the policy is still in force")
			}
			return nil
		})
	}
}

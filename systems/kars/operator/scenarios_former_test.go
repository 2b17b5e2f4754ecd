// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/digest"
	"github.com/tristate/tristate/systems/kars/operator/internal/egressapproval"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// formerGrants takes over what the first version of the operator wrote for a grant that is open: a file in the ConfigMap that the grants of
// a sandbox share, applied under a manager name of the grant, without a mark. The grant stays in force, and its file goes at its end.
func formerGrants(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	w.Create(t, newInferencePolicy(ns, "models"))
	sandbox := newSandbox(ns, "former")
	w.Create(t, sandbox)
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	began := w.Now().UTC().Truncate(time.Second)
	ends := began.Add(time.Hour)
	spec := api.EgressApprovalSpec{Sandbox: "former", Hosts: []api.Endpoint{{Host: "open.example.com"}}, Reason: "an incident", TTL: "PT1H"}
	body, err := json.Marshal(digest.Grant{SchemaVersion: 1, ApprovalName: "open", Sandbox: "former", Hosts: digest.Normalize(spec.Hosts),
		Reason: spec.Reason, EffectiveAt: began, ExpiresAt: ends})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]any{child.LabelManaged: kit.Manager}
	for key, value := range kit.SandboxLabels(client.ObjectKeyFromObject(sandbox)) {
		labels[key] = value
	}
	for grant, text := range map[string]string{"open": string(body), "lost": string(body)} { // nobody answers for the second one
		files := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"namespace": kit.SandboxNamespace("former"), "name": kit.ApprovalsName("former"), "labels": labels},
			"data":     map[string]any{egressapproval.Key(grant): text}}}
		manager := client.FieldOwner("kars-egress-" + digest.Version([]byte(ns+"/"+grant)))
		if err := w.API.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(files), manager, client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
	}
	open := &api.EgressApproval{ObjectMeta: meta(ns, "open"), Spec: spec}
	open.Finalizers = []string{"kars.azure.com/egressapproval-cleanup"}
	w.Create(t, open)
	open.Status = api.EgressApprovalStatus{Common: api.Common{Phase: "Active", Conditions: []metav1.Condition{
		{Type: "Ready", Status: "True", Reason: "RouterConfirmed", LastTransitionTime: metav1.Time{Time: began}}}},
		EffectiveAt: &metav1.Time{Time: began}, ExpiresAt: &metav1.Time{Time: ends}, HostCount: 1}
	if err := w.API.Status().Update(t.Context(), open); err != nil {
		t.Fatal(err)
	}

	w.run(t)
	w.goes(t, "former", "lost")
	w.Seen.Reach(t, open, "Ready=True RouterConfirmed", "Progressing=False Reconciled")
	if !w.published(t, "former", "open") {
		t.Error("the file of a grant that is open is gone")
	}
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(open), open); err != nil {
		t.Fatal(err)
	}
	if at := open.Status.EffectiveAt; at == nil || !at.Time.Equal(began) {
		t.Errorf("the grant began at %v, want %s", at, began)
	}
	w.Later(t, 2*time.Hour)
	w.Seen.Reach(t, open, "Ready=False Expired")
	world.Eventually(t, func() error {
		if w.published(t, "former", "open") {
			return fmt.Errorf("the grant is over, and its file is there")
		}
		return nil
	})
	w.Remove(t, open)
	w.Leave(t, sandbox)
}

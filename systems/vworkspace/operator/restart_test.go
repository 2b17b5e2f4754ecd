// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/controlplane"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
)

// sequences returns the numbers of the transitions of an object in the order in which the control plane got them.
func (w *vworkspace) sequences(o client.Object) (out []int64) {
	for _, e := range w.plane.Received() {
		if e.Kind == agent.ConditionTransition && e.ResourceRef.UID == string(o.GetUID()) {
			out = append(out, e.Sequence)
		}
	}
	return out
}

// complete waits until the control plane has every transition of an object, each once and in order.
func (w *vworkspace) complete(t *testing.T, o *appsapi.ApplicationInstance) {
	t.Helper()
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		var want []int64
		for i := range o.Status.Transitions[len(o.Status.Transitions)-1].Sequence {
			want = append(want, i+1)
		}
		if diff := cmp.Diff(want, w.sequences(o)); diff != "" {
			return fmt.Errorf("transitions of %s: -want +got\n%s", o.Name, diff)
		}
		return nil
	})
}

// restart ends the operator while the control plane takes no events: every transition arrives once all the same, and the start itself
// writes nothing.
func restart(t *testing.T, w *vworkspace) {
	o := instance(w.namespace(t), "shop")
	w.released(t, o)
	w.complete(t, o)
	w.plane.Fail(controlplane.Events, controlplane.Fault{Drop: true, Heartbeats: ptr.To(false)})
	w.helmWrites(t, o, "not-upgraded")
	w.Seen.Reach(t, o, "Ready=False HelmReleaseFailed", "Degraded=True HelmReleaseDegraded")
	if err := w.Stop(); err != nil {
		t.Fatal(err)
	}
	before := w.Seen.Count(t)
	w.run(t)
	beats := w.plane.Heartbeats()
	world.Eventually(t, func() error {
		if n := w.plane.Heartbeats(); n < beats+3 {
			return fmt.Errorf("%d heartbeats since the restart", n-beats)
		}
		return nil
	})
	after := w.Seen.Count(t)
	for key, n := range after {
		if n != before[key] && key != "Cluster /"+clusterID {
			t.Errorf("%s was written %d times by the restart and in idleness", key, n-before[key])
		}
	}
	w.helmWrites(t, o, "installed")
	w.Seen.Reach(t, o, "Ready=True HelmReleaseReady", "Degraded=False Recovered")
	w.plane.Fail(controlplane.Events, controlplane.Fault{})
	w.complete(t, o)
}

// admission tests the refusals of the policies of config/admission.
func admission(t *testing.T, w *vworkspace) {
	data, err := os.ReadFile("config/admission/policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	optional, err := os.ReadFile("config/admission/restores.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data = append(append(data, "---\n"...), optional...)
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		var o client.Object = &admissionv1.ValidatingAdmissionPolicy{}
		if kind.Kind == "ValidatingAdmissionPolicyBinding" {
			o = &admissionv1.ValidatingAdmissionPolicyBinding{}
		}
		if err := yaml.UnmarshalStrict(document, o); err != nil {
			t.Fatal(err)
		}
		w.Create(t, o)
	}
	// A policy is in force some time after it is created; a dry run that it lets through stores nothing.
	refused := func(what string, request func() error) {
		t.Helper()
		world.Eventually(t, func() error {
			if err := request(); !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) {
				return fmt.Errorf("%s: it was not refused: %v", what, err)
			}
			return nil
		})
	}
	create := func(o client.Object) func() error {
		return func() error { return w.API.Create(t.Context(), o.DeepCopyObject().(client.Object), client.DryRunAll) }
	}
	ns := w.namespace(t)
	w.Create(t, instance(ns, "shop"))
	refused("a Backup by helm", create(of(w.operation(ns, "helm-backup", "shop"), engine.Backup, engine.Helm)))
	running := pod(w.operation(ns, "running", "shop"), "run")
	w.Create(t, running)
	w.Seen.Reach(t, running, "Running=True EngineStarted")
	for what, patch := range map[string]string{
		"the parameters of an operation that runs": `{"spec":{"parameters":{"job":{"image":"other"}}}}`,
		"the type of an operation":                 `{"spec":{"type":"Migration"}}`,
	} {
		refused(what, func() error {
			return w.API.Patch(t.Context(), running.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll)
		})
	}
	world.Edit(t, w.World, running, func(o *opsapi.Operation) {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, opsapi.AnnotationCancel, "true")
	})
	w.Seen.Reach(t, running, "Cancelled=True UserCancelled")

	restore := of(w.operation(ns, "restore", "shop"), engine.Restore, engine.Velero)
	restore.Spec.Parameters.Velero = &opsapi.VeleroParameters{BackupName: "nightly"}
	refused("a restore by velero without an approval", create(restore))
	governed := instance(ns, "governed")
	metav1.SetMetaDataAnnotation(&governed.ObjectMeta, appsapi.AnnotationApprovalRequired, "true")
	w.Create(t, governed)
	guest := rest.CopyConfig(w.Config)
	guest.Impersonate = rest.ImpersonationConfig{UserName: "editor", Groups: []string{"system:authenticated"}}
	editor, err := client.New(guest, client.Options{Scheme: w.API.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	edits := []rbacv1.PolicyRule{{APIGroups: []string{"apps.vworkspace.io"}, Resources: []string{"applicationinstances"},
		Verbs: []string{"get", "update", "patch"}}}
	w.Create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "editor"}, Rules: edits})
	w.Create(t, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "editor"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "editor"},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "User", Name: "editor"}}})
	lower := func(by client.Client) error {
		return by.Patch(t.Context(), governed.DeepCopy(),
			client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"apps.vworkspace.io/approval-required":null}}}`)),
			client.DryRunAll)
	}
	world.Eventually(t, func() error {
		if err := lower(editor); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "stays required") {
			return fmt.Errorf("an editor takes back an approval: %v", err)
		}
		return nil
	})
	if err := lower(w.API); err != nil {
		t.Errorf("who may approve cannot take back an approval: %v", err)
	}
	elsewhere := instance(ns, "elsewhere")
	elsewhere.Spec.Release.Namespace = "default"
	refused("a release in another namespace", create(elsewhere))
}

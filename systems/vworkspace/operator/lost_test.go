// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	helmv2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/tristate/tristate/operator/child"
	"github.com/tristate/tristate/proof/world"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byEngine has, for each engine with an object of its own, an operation that goes on until somebody ends it. The kinds are installed by the
// scenarios of the engines.
func (w *vworkspace) byEngine(t *testing.T, ns, target string) map[string]*opsapi.Operation {
	t.Helper()
	out := map[string]*opsapi.Operation{
		engine.Velero:   of(w.operation(ns, "velero", target), engine.Backup, engine.Velero),
		engine.Workflow: of(w.operation(ns, "workflow", target), engine.Runbook, engine.Workflow),
		engine.Job:      pod(w.operation(ns, "job", target), "run"),
	}
	out[engine.Workflow].Spec.Parameters = opsapi.Parameters{Workflow: &opsapi.WorkflowParameters{Template: "migrate"}}
	for _, o := range out {
		o.Spec.Policy.RequireReady = new(false)
	}
	return out
}

// failed waits for the failure of an engine, and for the text of its message.
func (w *vworkspace) failed(t *testing.T, o *opsapi.Operation, message string) {
	t.Helper()
	w.Seen.Reach(t, o, "Failed=True EngineFailed", "Succeeded=False NotYetSucceeded")
	if c := w.Condition(t, o, "Failed"); !strings.Contains(c.Message, message) {
		t.Errorf("%s failed with %q, want %q", o.Name, c.Message, message)
	}
}

// started waits until the operation has recorded the object of its engine, and returns that.
func (w *vworkspace) started(t *testing.T, o *opsapi.Operation) *unstructured.Unstructured {
	t.Helper()
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		if o.Status.EngineRef == nil || o.Status.EngineRef.UID == "" {
			return fmt.Errorf("%s has not started: %v", o.Name, o.Status.Conditions)
		}
		return nil
	})
	if o.Spec.Engine == engine.Helm {
		return object(helmv2.GroupVersion.String(), "HelmRelease", o.Namespace, o.Status.EngineRef.Name)
	}
	return w.engineObject(t, o)
}

// vanished tests objects of engines that somebody deletes while they work: after the time of grace the operation has failed, and nothing is
// created a second time.
func vanished(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	w.Create(t, instance(ns, "shop"))
	running := w.byEngine(t, ns, "shop")
	for _, o := range running {
		w.Create(t, o)
	}
	for name, o := range running {
		u := w.started(t, o)
		if err := w.API.Delete(t.Context(), u, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	const message = "the object of the engine is missing for "
	for _, o := range running {
		w.failed(t, o, message)
		gvk := engine.Kind(o)
		u := object(gvk.GroupVersion().String(), gvk.Kind, engine.Namespace(o, "velero"), engine.Name(o))
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); client.IgnoreNotFound(err) != nil || err == nil {
			t.Errorf("%s: its object was created again, or cannot be read: %v", o.Name, err)
		}
	}
	upgrade, release := w.upgrading(t, w.namespace(t))
	w.Remove(t, release)
	w.failed(t, upgrade, message)
}

// cancelled tests operations by every engine that somebody cancels while they work: the object of the engine is deleted.
func cancelled(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	for _, target := range []string{"shop", "blog"} {
		w.Create(t, instance(ns, target))
	}
	running := w.byEngine(t, ns, "shop")
	restore := of(w.operation(ns, "velero-restore", "blog"), engine.Restore, engine.Velero)
	restore.Spec.Parameters = opsapi.Parameters{Velero: &opsapi.VeleroParameters{BackupName: "nightly"}}
	restore.Spec.Policy.RequireReady = new(false)
	running[restore.Name] = restore
	for _, o := range running {
		w.Create(t, o)
	}
	for _, o := range running {
		u := w.started(t, o)
		world.Edit(t, w.World, o, func(o *opsapi.Operation) {
			metav1.SetMetaDataAnnotation(&o.ObjectMeta, opsapi.AnnotationCancel, "true")
		})
		w.Seen.Reach(t, o, "Cancelled=True UserCancelled")
		world.Eventually(t, func() error {
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s %s is still there: %v", u.GetKind(), u.GetName(), err)
			}
			return nil
		})
	}
}

// upgrading returns an operation by engine helm whose target has been suspended meanwhile, so that nobody creates its HelmRelease again.
func (w *vworkspace) upgrading(t *testing.T, ns string) (*opsapi.Operation, *unstructured.Unstructured) {
	t.Helper()
	target := instance(ns, "shop")
	w.released(t, target)
	upgrade := of(w.operation(ns, "upgrade", "shop"), engine.Upgrade, engine.Helm)
	upgrade.Spec.Parameters = opsapi.Parameters{Helm: &opsapi.HelmParameters{TargetVersion: "1.1.0"}}
	w.Create(t, upgrade)
	release := w.started(t, upgrade)
	w.Seen.Reach(t, upgrade, "Running=False EngineNotStarted") // nothing works on it
	world.Edit(t, w.World, target, func(o *appsapi.ApplicationInstance) {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, appsapi.AnnotationReconcile, "disabled")
	})
	w.Seen.Reach(t, target, "Suspended=True ManuallySuspended")
	return upgrade, release
}

// taken tests objects of engines that are somebody else's: there before the operation starts, with every label and the owner of its own, or
// put in the place of its own. They are left alone.
func taken(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	w.Create(t, instance(ns, "shop"))
	waiting := w.byEngine(t, ns, "shop")
	for _, o := range waiting {
		o.Spec.Approvals.Required = true
		w.Create(t, o)
		w.Seen.Reach(t, o, "Blocked=True AwaitingApproval")
	}
	squatters := map[string]*unstructured.Unstructured{}
	for name, o := range waiting {
		gvk := engine.Kind(o)
		u := object(gvk.GroupVersion().String(), gvk.Kind, engine.Namespace(o, "velero"), engine.Name(o))
		if gvk.Kind == "Job" {
			u.Object["spec"] = map[string]any{"suspend": true,
				"template": map[string]any{"spec": map[string]any{"restartPolicy": "Never",
					"containers": []any{map[string]any{"name": "c", "image": "c"}}}}}
		}
		u.SetLabels(map[string]string{engine.LabelOperation: string(o.UID), "ops.vworkspace.io/operation-namespace": ns,
			"ops.vworkspace.io/operation-name": o.Name})
		if u.GetNamespace() == ns {
			u.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(o, opsapi.GroupVersion.WithKind("Operation"))})
		}
		squatters[name] = u
		world.Eventually(t, func() error { return w.API.Create(t.Context(), u) }) // once its kind is served
		granted := w.approve(t, o, time.Hour)
		world.Edit(t, w.World, o, func(o *opsapi.Operation) { o.Spec.Approvals.Claim = granted })
	}
	for name, o := range waiting {
		w.failed(t, o, "belongs to another owner")
		u := squatters[name]
		uid := u.GetUID()
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil || u.GetUID() != uid || u.GetDeletionTimestamp() != nil {
			t.Errorf("%s: what belongs to another owner was touched: %v", name, err)
		}
	}

	// Another object with the name and the label, in the place of the operation's own.
	replaced := w.byEngine(t, w.namespace(t), "shop")[engine.Workflow]
	w.Create(t, instance(replaced.Namespace, "shop"))
	w.Create(t, replaced)
	u := w.started(t, replaced)
	again := u.DeepCopy()
	again.SetResourceVersion("")
	again.SetUID("")
	w.Remove(t, u)
	w.Create(t, again)
	w.failed(t, replaced, "was replaced by another one")

	// The HelmRelease of an upgrade is taken over by somebody.
	upgrade, release := w.upgrading(t, w.namespace(t))
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(release), release); err != nil {
			return err
		}
		labels := release.GetLabels()
		labels[child.LabelManaged] = "somebody"
		release.SetLabels(labels)
		return w.API.Update(t.Context(), release)
	})
	w.failed(t, upgrade, "belongs to another owner")
}

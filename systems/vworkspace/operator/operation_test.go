// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func fields(s string) []string { return strings.Fields(s) }

func object(version, kind, ns, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(version)
	u.SetKind(kind)
	u.SetNamespace(ns)
	u.SetName(name)
	return u
}

// operation runs a runbook by a Job; a command would need an approval.
func (w *vworkspace) operation(ns, name, target string) *opsapi.Operation {
	return &opsapi.Operation{ObjectMeta: gated(ns, name),
		Spec: opsapi.OperationSpec{TargetRef: opsapi.TargetRef{APIVersion: "apps.vworkspace.io/v1alpha1", Kind: "ApplicationInstance",
			Name: target},
			Type: engine.Runbook, Engine: engine.Job,
			Parameters: opsapi.Parameters{Job: &opsapi.JobParameters{Image: "busybox", Command: []string{"true"}}}}}
}

// pod sets the fate of the pods of a Job, which KWOK plays.
func pod(o *opsapi.Operation, outcome string) *opsapi.Operation {
	o.Spec.Parameters.Job.PodAnnotations = map[string]string{"localplane.tristate.dev/outcome": outcome}
	return o
}

func of(o *opsapi.Operation, kind, by string) *opsapi.Operation {
	o.Spec.Type, o.Spec.Engine = kind, by
	return o
}

// slow tests an operation whose engine takes longer than it may. The clock is moved, so that no other scenario can run meanwhile.
func slow(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	w.Create(t, instance(ns, "shop"))
	o := pod(w.operation(ns, "slow", "shop"), "run")
	o.Spec.Parameters.TimeoutSeconds = 600
	w.Create(t, o)
	w.Seen.Reach(t, o, "Running=True EngineStarted")
	w.Later(t, 10*time.Minute)
	w.Seen.Reach(t, o, "Failed=True Timeout", "Running=False EngineEnded")
	w.jobGone(t, o)
	w.Remove(t, o)
	w.Gone(t, o)
}

// operations tests the states of operations whose engine is a Job, which runs.
func operations(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	early := pod(w.operation(ns, "early", "shop"), "run") // until it is seen running: a slow operator would see only the end
	w.Create(t, early)
	w.Seen.Reach(t, early, "Accepted=False ValidationFailed", "Running=False EngineNotStarted", "Succeeded=False NotYetSucceeded", "!Failed",
		"!Blocked")
	target := instance(ns, "shop")
	w.Create(t, target)
	w.Seen.Reach(t, early, "Accepted=True AdmissionPassed")
	w.Seen.Reach(t, early, "Running=True EngineStarted")
	w.finish(t, early)
	w.Seen.Reach(t, early, "Succeeded=True EngineCompleted", "Running=False EngineEnded")
	w.Remove(t, early)
	w.Gone(t, early)

	failing := pod(w.operation(ns, "failing", "shop"), "fail")
	w.Create(t, failing)
	w.Seen.Reach(t, failing, "Failed=True EngineFailed", "Succeeded=False NotYetSucceeded", "Running=False EngineEnded")

	// Terminal is terminal: an edit is observed, and changes nothing else.
	finished := w.finished(t, failing)
	world.Edit(t, w.World, failing, func(o *opsapi.Operation) {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, opsapi.AnnotationCancel, "true")
		o.Spec.PreconditionTimeout = &metav1.Duration{Duration: time.Hour}
	})
	world.Eventually(t, func() error { return w.Judged(t, failing, "Failed") })
	if again := w.finished(t, failing); !again.Equal(finished) || failing.Status.Phase != "Failed" ||
		failing.Status.ObservedGeneration != failing.Generation {
		t.Errorf("after an edit the operation has finished at %s, not %s: %+v", again, finished, failing.Status)
	}
	w.Remove(t, failing)
	w.Gone(t, failing)

	cancelled := pod(w.operation(ns, "cancelled", "shop"), "run")
	w.Create(t, cancelled)
	w.Seen.Reach(t, cancelled, "Running=True EngineStarted")
	world.Edit(t, w.World, cancelled, func(o *opsapi.Operation) {
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, opsapi.AnnotationCancel, "true")
	})
	w.Seen.Reach(t, cancelled, "Cancelled=True UserCancelled", "Running=False EngineEnded")
	w.jobGone(t, cancelled)
	w.Remove(t, cancelled)
	w.Gone(t, cancelled)

	// Deletion in flight is a cancellation.
	deleted := pod(w.operation(ns, "deleted", "shop"), "run")
	w.Create(t, deleted)
	w.Seen.Reach(t, deleted, "Running=True EngineStarted")
	w.Remove(t, deleted)
	w.Seen.Reach(t, deleted, "Cancelled=True UserCancelled")
	w.Gone(t, deleted)
}

// finished returns when an operation has ended.
func (w *vworkspace) finished(t *testing.T, o *opsapi.Operation) *metav1.Time {
	t.Helper()
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil || o.Status.FinishedAt == nil {
			return fmt.Errorf("%s has not ended: %v", o.Name, err)
		}
		return nil
	})
	return o.Status.FinishedAt
}

func (w *vworkspace) jobGone(t *testing.T, o *opsapi.Operation) {
	t.Helper()
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		job := &batchv1.Job{}
		if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: o.Namespace, Name: engine.Name(o)}, job); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the Job of %s is still there: %v", o.Name, err)
		}
		return nil
	})
}

// blocked tests operations that wait.
func blocked(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	target := instance(ns, "shop")
	w.Create(t, target)

	// The target is not ready; the time for it is over for one of them.
	patient := w.operation(ns, "patient", "shop")
	patient.Spec.Policy.RequireReady = new(true)
	impatient := w.operation(ns, "impatient", "shop")
	impatient.Spec.Policy.RequireReady = new(true)
	impatient.Spec.PreconditionTimeout = &metav1.Duration{Duration: short}
	w.Create(t, patient)
	w.Create(t, impatient)
	w.Seen.Reach(t, patient, "Blocked=True TargetNotReady", "Accepted=True AdmissionPassed")
	w.Seen.Reach(t, impatient, "Blocked=True TargetNotReady")
	w.Seen.Reach(t, impatient, "Failed=True PreconditionFailed", "Blocked=False Unblocked")
	w.Remove(t, impatient)
	w.Gone(t, impatient)
	w.fetched(t, target, "1.0.0")
	w.helmWrites(t, target, "installed")
	w.Seen.Reach(t, patient, "Succeeded=True EngineCompleted", "Blocked=False Unblocked")

	// An approval: none, a wrong one, the right one.
	approved := w.operation(ns, "approved", "shop")
	approved.Spec.Approvals.Required = true
	w.Create(t, approved)
	w.Seen.Reach(t, approved, "Blocked=True AwaitingApproval", "Accepted=True AdmissionPassed")
	granted := w.approve(t, approved, time.Hour)
	world.Edit(t, w.World, approved, func(o *opsapi.Operation) { o.Spec.Approvals.Claim = granted })
	w.Seen.Reach(t, approved, "Succeeded=True EngineCompleted", "Blocked=False Unblocked")

	// The target is deleted between admission and reconcile.
	other := instance(ns, "other")
	w.Create(t, other)
	orphan := w.operation(ns, "orphan", "other")
	orphan.Spec.Approvals.Required = true
	w.Create(t, orphan)
	w.Seen.Reach(t, orphan, "Accepted=True AdmissionPassed", "Blocked=True AwaitingApproval")
	w.Remove(t, other)
	w.Seen.Reach(t, orphan, "Accepted=False ValidationFailed")

	// The older one of two that conflict runs first; a Backup that has not started is superseded by a newer one.
	restore := pod(of(w.operation(ns, "restore", "shop"), engine.Restore, engine.Job), "run")
	w.Create(t, restore)
	w.Seen.Reach(t, restore, "Running=True EngineStarted")
	backup := of(w.operation(ns, "backup-1", "shop"), engine.Backup, engine.Job)
	w.Create(t, backup)
	w.Seen.Reach(t, backup, "Blocked=True ConflictingOperation", "Running=False EngineNotStarted")
	time.Sleep(time.Second) // creation times are whole seconds, and the names would decide
	newer := of(w.operation(ns, "backup-2", "shop"), engine.Backup, engine.Job)
	w.Create(t, newer)
	w.Seen.Reach(t, backup, "Cancelled=True SupersededByOperation")
	w.Seen.Reach(t, newer, "Blocked=True ConflictingOperation")
	w.finish(t, restore)
	w.Seen.Reach(t, restore, "Succeeded=True EngineCompleted")
	w.Seen.Reach(t, newer, "Succeeded=True EngineCompleted", "Blocked=False Unblocked")
	w.Remove(t, backup)
	w.Gone(t, backup)
}

// finish lets the pods of a Job complete.
func (w *vworkspace) finish(t *testing.T, o *opsapi.Operation) {
	t.Helper()
	world.Eventually(t, func() error {
		var pods corev1.PodList
		if err := w.API.List(t.Context(), &pods, client.InNamespace(o.Namespace),
			client.MatchingLabels{"batch.kubernetes.io/job-name": engine.Name(o)}); err != nil {
			return err
		}
		if len(pods.Items) == 0 {
			return fmt.Errorf("the Job of %s has no pod", o.Name)
		}
		for i := range pods.Items {
			before := pods.Items[i].DeepCopy()
			delete(pods.Items[i].Annotations, "localplane.tristate.dev/outcome")
			if err := w.API.Patch(t.Context(), &pods.Items[i], client.MergeFrom(before)); err != nil {
				return err
			}
		}
		return nil
	})
}

// engineStatus is a status of an engine's object as its controller writes it.
type engineStatus struct {
	source string
	status map[string]any
	want   string
}

// velero tests a backup whose controller comes later.
func velero(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	target := instance(ns, "shop")
	w.released(t, target)
	backup := of(w.operation(ns, "backup", "shop"), engine.Backup, engine.Velero)
	w.Create(t, backup)
	w.Seen.Reach(t, backup, "Blocked=True DependencyMissing", "Running=False EngineNotStarted")
	w.installed(t, "velero.io", "Backup")
	w.installed(t, "velero.io", "Restore")
	w.knows(t, "velero.io", "Backup", "Restore")
	w.says(t, backup, "Blocked", "velero is not installed") // its definitions alone do nothing
	w.deployment(t, "velero", "velero", nil)
	w.Seen.Reach(t, backup, "Blocked=False Unblocked", "Running=False EngineNotStarted")
	steps := []engineStatus{
		{"velero v1.18, pkg/apis/velero/v1: BackupPhaseInProgress", map[string]any{"phase": "InProgress"}, "Running=True EngineStarted"},
		{"velero v1.18, pkg/apis/velero/v1: BackupPhaseFinalizing", map[string]any{"phase": "Finalizing"}, "Running=True EngineStarted"},
		{"velero v1.18, pkg/apis/velero/v1: BackupPhaseCompleted", map[string]any{"phase": "Completed"}, "Succeeded=True EngineCompleted"},
	}
	w.play(t, backup, steps)

	failed := of(w.operation(ns, "partial", "shop"), engine.Backup, engine.Velero)
	w.Create(t, failed)
	w.play(t, failed, []engineStatus{{"velero v1.18: BackupPhasePartiallyFailed",
		map[string]any{"phase": "PartiallyFailed", "failureReason": "a volume"}, "Failed=True EngineFailed"}})

	// A restore needs an approval where it is required, and not otherwise.
	restore := of(w.operation(ns, "restore", "shop"), engine.Restore, engine.Velero)
	restore.Spec.Parameters.Velero = &opsapi.VeleroParameters{BackupName: "nightly"}
	w.Create(t, restore)
	w.play(t, restore, []engineStatus{{"velero v1.18: RestorePhaseInProgress", map[string]any{"phase": "InProgress"},
		"Running=True EngineStarted"}})
	u := w.engineObject(t, restore)
	w.Remove(t, u)
	w.Seen.Reach(t, restore, "Running=False EngineNotStarted")
}

// engineObject waits for the object of an operation's engine.
func (w *vworkspace) engineObject(t *testing.T, o *opsapi.Operation) *unstructured.Unstructured {
	t.Helper()
	var u *unstructured.Unstructured
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		gvk := engine.Kind(o)
		u = object(gvk.GroupVersion().String(), gvk.Kind, engine.Namespace(o, "velero"), engine.Name(o))
		return w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u)
	})
	return u
}

// play writes statuses to the object of an engine, and waits for the conditions that each brings.
func (w *vworkspace) play(t *testing.T, o *opsapi.Operation, steps []engineStatus) {
	t.Helper()
	for _, step := range steps {
		u := w.engineObject(t, o)
		world.Eventually(t, func() error {
			if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				return err
			}
			u.Object["status"] = step.status
			return w.API.Update(t.Context(), u)
		})
		w.Seen.Reach(t, o, step.want)
	}
}

// engines tests the other engines, through statuses as their controllers write them.
func engines(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	target := instance(ns, "shop")
	w.released(t, target)
	w.installed(t, "argoproj.io", "Workflow")
	w.installed(t, "argoproj.io", "WorkflowTemplate")
	w.Create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "argo"}})
	w.deployment(t, "argo", "workflow-controller", nil)
	template := object("argoproj.io/v1alpha1", "WorkflowTemplate", ns, "migrate")
	template.Object["spec"] = map[string]any{"entrypoint": "main"}
	world.Eventually(t, func() error { return w.API.Create(t.Context(), template) }) // once its kind is served

	flow := of(w.operation(ns, "flow", "shop"), engine.Runbook, engine.Workflow)
	flow.Spec.Parameters = opsapi.Parameters{Workflow: &opsapi.WorkflowParameters{Template: "migrate",
		Arguments: map[string]string{"to": "2"}}}
	flow.Spec.Approvals.Required = true
	w.Create(t, flow)
	w.Seen.Reach(t, flow, "Blocked=True AwaitingApproval")
	allowed := w.approve(t, flow, time.Hour)
	world.Edit(t, w.World, flow, func(o *opsapi.Operation) { o.Spec.Approvals.Claim = allowed })
	w.play(t, flow, []engineStatus{{"argo-workflows v3, WorkflowPending", map[string]any{"phase": "Pending"},
		"Running=False EngineNotStarted"},
		{"WorkflowRunning", map[string]any{"phase": "Running"}, "Running=True EngineStarted"},
		{"WorkflowError", map[string]any{"phase": "Error", "message": "no template"}, "Failed=True EngineFailed"}})

	// An upgrade sets the version of the target, and ends with its HelmRelease.
	upgrade := of(w.operation(ns, "upgrade", "shop"), engine.Upgrade, engine.Helm)
	upgrade.Spec.Parameters = opsapi.Parameters{Helm: &opsapi.HelmParameters{TargetVersion: "1.1.0"}}
	w.Create(t, upgrade)
	w.Seen.Reach(t, target, "Ready=False Upgrading", "Reconciling=True ChartSourceSyncing")
	w.Seen.Reach(t, upgrade, "Running=False EngineNotStarted")
	w.fetched(t, target, "1.1.0")
	w.helmWrites(t, target, "upgrading")
	w.Seen.Reach(t, upgrade, "Running=True EngineStarted")
	if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(target), target); err != nil {
		t.Fatal(err)
	}
	w.helmWrites(t, target, "upgraded")
	w.Seen.Reach(t, upgrade, "Succeeded=True EngineCompleted")
	w.Seen.Reach(t, target, "Ready=True HelmReleaseReady")
}

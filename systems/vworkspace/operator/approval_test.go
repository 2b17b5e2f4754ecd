// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// approvals: an approval approves one thing also where no webhook looks at claims. The operator runs nothing for a claim of an operation
// that was deleted, of one that was edited since, of one whose WorkflowTemplate was edited, or by a key that was rotated away, and its
// message names the reason.
func approvals(t *testing.T, w *vworkspace) {
	ns := w.namespace(t)
	w.Create(t, instance(ns, "shop"))
	claims := func(o *opsapi.Operation, text string) {
		world.Edit(t, w.World, o, func(o *opsapi.Operation) { o.Spec.Approvals.Claim = text })
	}
	waits := func(o *opsapi.Operation, why error) {
		t.Helper()
		w.Seen.Reach(t, o, "Blocked=True AwaitingApproval", "Running=False EngineNotStarted")
		w.says(t, o, "Blocked", why.Error())
	}
	asks := func(name, image string) *opsapi.Operation {
		o := w.operation(ns, name, "shop")
		o.Spec.Approvals.Required, o.Spec.Parameters.Job.Image = true, image
		o.Spec.Policy.RequireReady = new(true)
		return o
	}

	// Approved, it waits for its target; meanwhile it is edited. The edit needs that the claim goes, and the claim does not come back to life.
	o := asks("command", "busybox")
	w.Create(t, o)
	w.Seen.Reach(t, o, "Blocked=True TargetNotReady")
	good := w.approve(t, o, time.Hour)
	claims(o, good)
	claims(o, "")
	world.Edit(t, w.World, o, func(o *opsapi.Operation) { o.Spec.Parameters.Job.Image = "evil" })
	claims(o, good)
	w.fetched(t, instance(ns, "shop"), "1.0.0")
	w.helmWrites(t, instance(ns, "shop"), "installed")
	waits(o, claim.ErrChanged)
	w.Remove(t, o)
	w.Gone(t, o)

	// The same name, and the claim of the one before.
	again := asks("command", "busybox")
	again.Spec.Approvals.Claim = good
	w.Create(t, again)
	waits(again, claim.ErrOther)

	// Its own approval starts it, and the status names approver and key.
	claims(again, w.approve(t, again, time.Hour))
	w.Seen.Reach(t, again, "Succeeded=True EngineCompleted")
	if a := again.Status.Approval; a == nil || w.subject(t, again).Digest != a.Digest || again.Status.Approval.By != "ada" ||
		again.Status.Approval.KeyID != adaKey || again.Status.Approval.ClaimID == "" {
		t.Errorf("the status shows %+v", a)
	}

	// A key is rotated: the old one stays until it is removed.
	rotated := asks("rotated", "busybox")
	w.Create(t, rotated)
	waits(rotated, claim.ErrMissing)
	next := newSigner()
	keys := secret(kit.ApprovalKeySecret, nil)
	world.Edit(t, w.World, keys, func(s *corev1.Secret) { s.Data = map[string][]byte{"ada-2": []byte(next.public)} })
	claims(rotated, w.approve(t, rotated, time.Hour))
	waits(rotated, claim.ErrUnknown)
	world.Edit(t, w.World, keys, func(s *corev1.Secret) {
		s.Data = map[string][]byte{"ada-2": []byte(next.public), adaKey: []byte(ada.public)}
	})
	text, err := claim.Issue(next.private, "ada-2", "ada", w.subject(t, rotated), w.Now(), w.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	claims(rotated, text)
	w.Seen.Reach(t, rotated, "Succeeded=True EngineCompleted")

	// A Workflow is made of a template that somebody edits after the approval.
	w.installed(t, "argoproj.io", "Workflow")
	w.installed(t, "argoproj.io", "WorkflowTemplate")
	template := object("argoproj.io/v1alpha1", "WorkflowTemplate", ns, "migrate")
	template.Object["spec"] = map[string]any{"entrypoint": "main"}
	world.Eventually(t, func() error { return w.API.Create(t.Context(), template) }) // once its kind is served
	flow := of(asks("flow", ""), engine.Runbook, engine.Workflow)
	flow.Spec.Parameters = opsapi.Parameters{Workflow: &opsapi.WorkflowParameters{Template: "migrate"}}
	w.Create(t, flow)
	before := w.approve(t, flow, time.Hour)
	world.Edit(t, w.World, template, func(u *unstructured.Unstructured) { u.Object["spec"] = map[string]any{"entrypoint": "evil"} })
	claims(flow, before)
	waits(flow, claim.ErrChanged)
	claims(flow, w.approve(t, flow, time.Hour))
	w.play(t, flow, []engineStatus{{"argo-workflows v3, WorkflowSucceeded", map[string]any{"phase": "Succeeded"},
		"Succeeded=True EngineCompleted"}})
}

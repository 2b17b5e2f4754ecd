// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/karseval"
	"github.com/tristate/tristate/systems/kars/operator/internal/karsmemory"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// waits outlast their budgets: the clock is moved while nodes take no pods, so that no other scenario can run beside. Waiting goes on, and
// ends with the fact.
func waits(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	memory := &api.KarsMemory{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "notes"},
		Spec: api.KarsMemorySpec{StoreName: "notes", Scope: "red"}}
	free := w.occupy(t, ns, karsmemory.BindingName("notes"))
	w.Create(t, memory)
	w.Seen.Reach(t, memory, "Ready=False Failed", "!Degraded", "Progressing=False Failed")
	free()
	w.Seen.Reach(t, memory, "Ready=False AwaitingFoundryProvisioning", "Degraded=False Reconciled")
	tools, models := newToolPolicy(ns, "tools"), newInferencePolicy(ns, "models")
	w.Create(t, tools)
	w.Create(t, models)
	w.Seen.Reach(t, tools, "Ready=False NoSandboxesReferencing")
	w.Seen.Reach(t, models, "Ready=False NoSandboxesReferencing")
	w.Later(t, time.Hour) // how long nobody referred to them is no part of the wait for a router
	sandbox := newSandbox(ns, "late")
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}}
	sandbox.Spec.MemoryRef = &api.NameRef{Name: "notes"}
	w.Cordon(t, true)
	w.Create(t, sandbox)
	waiting := []client.Object{tools, models, memory}
	w.Seen.Reach(t, sandbox, "Ready=False Created", "Progressing=True Creating")
	for _, o := range waiting {
		w.Seen.Reach(t, o, "Ready=False AwaitingRouterEnforcement", "Progressing=True AwaitingRouterEnforcement")
	}
	w.Wake(t)
	// judged after the waking
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Governance.TrustThreshold = new(int32(700)) })
	world.Eventually(t, func() error { return w.Judged(t, sandbox, "Ready") })
	for _, o := range waiting {
		if c := w.Condition(t, o, "Progressing"); c.Reason != "AwaitingRouterEnforcement" {
			t.Errorf("%s is %s as soon as it waits", world.Key(o), c.Reason)
		}
	}
	w.Later(t, time.Hour)
	w.Seen.Reach(t, sandbox, "Ready=False Created", "Progressing=False TimedOut")
	for _, o := range waiting {
		w.Seen.Reach(t, o, "Ready=False AwaitingRouterEnforcement", "Progressing=False TimedOut")
	}
	w.Cordon(t, false)
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing", "Progressing=False Reconciled")
	w.Seen.Reach(t, models, "Ready=True RouterEnforcing", "Progressing=False Reconciled")
	w.remember(t, "late", 200)
	w.Seen.Reach(t, memory, "Ready=True RouterEnforcing", "Progressing=False Reconciled")
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing", "Progressing=False Reconciled")

	unwritten(t, w, ns)
	overdue(t, w, ns)
	runs(t, w, ns)
	w.Leave(t, sandbox)
}

// overdue tests a grant whose file the kubelet does not bring to the router.
func overdue(t *testing.T, w *kars, ns string) {
	w.Kubelet.Hold(kit.SandboxNamespace("late"), true)
	grant := &api.EgressApproval{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "overdue"}, Spec: api.EgressApprovalSpec{Sandbox: "late",
		Hosts: []api.Endpoint{{Host: "overdue.example.com"}}, Reason: "an incident", TTL: "P1D"}}
	w.Create(t, grant)
	w.Seen.Reach(t, grant, "Ready=False AwaitingRouterEcho", "Progressing=True AwaitingRouterEcho")
	w.Later(t, time.Hour)
	w.Seen.Reach(t, grant, "Ready=False AwaitingRouterEcho", "Progressing=False TimedOut", "Degraded=False Reconciled")
	w.Kubelet.Hold(kit.SandboxNamespace("late"), false)
	w.Seen.Reach(t, grant, "Ready=True RouterConfirmed", "Progressing=False Reconciled")
	w.Remove(t, grant)
	w.Gone(t, grant)
}

// unwritten tests a grant whose file cannot be written, because a ConfigMap of another writer has its name.
func unwritten(t *testing.T, w *kars, ns string) {
	free := w.occupy(t, kit.SandboxNamespace("late"), kit.ApprovalsName("late"))
	grant := &api.EgressApproval{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "unwritten"}, Spec: api.EgressApprovalSpec{Sandbox: "late",
		Hosts: []api.Endpoint{{Host: "unwritten.example.com"}}, Reason: "an incident", TTL: "P1D"}}
	w.Create(t, grant)
	w.Seen.Reach(t, grant, "Ready=False Failed", "Progressing=False Failed", "Degraded=True Failed")
	free()
	w.Seen.Reach(t, grant, "Ready=True RouterConfirmed", "Progressing=False Reconciled")
	w.Remove(t, grant)
	w.Gone(t, grant)
}

// runs tests a run that nobody asked for, from the CronJob as "kubectl create job --from" makes it, and one that hangs.
func runs(t *testing.T, w *kars, ns string) {
	eval := &api.KarsEval{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "scheduled"}, Spec: api.KarsEvalSpec{
		TargetSandboxRef: api.NameRef{Name: "late"}, Corpus: api.CorpusSource{Builtin: "banned-tools"}, Schedule: "0 0 1 1 *"}}
	w.Create(t, eval)
	w.Seen.Reach(t, eval, "Ready=False Scheduled", "Progressing=True Scheduled")
	cron := &batchv1.CronJob{}
	if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "karseval-scheduled"}, cron); err != nil {
		t.Fatal(err)
	}
	w.Create(t, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "karseval-scheduled-1", Labels: cron.Spec.JobTemplate.Labels,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cron, batchv1.SchemeGroupVersion.WithKind("CronJob"))}},
		Spec: cron.Spec.JobTemplate.Spec})
	w.Seen.Reach(t, eval, "Ready=True AllPassed", "Progressing=False Reconciled", "ConformanceDrift=False AllPassed")

	w.Cordon(t, true)
	world.Edit(t, w.World, eval, func(e *api.KarsEval) { e.Annotations = map[string]string{karseval.RunNow: "true"} })
	w.Seen.Reach(t, eval, "Progressing=True Reconciling")
	first := w.currentRun(t, eval, "")
	world.Edit(t, w.World, first, func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) })
	w.currentRun(t, eval, "")
	w.Remove(t, first)
	w.currentRun(t, eval, first.UID) // a Job that is deleted is started again
	w.Later(t, 2*time.Hour)
	w.Seen.Reach(t, eval, "Progressing=False TimedOut", "Ready=True AllPassed")
	w.Cordon(t, false)
	w.Seen.Reach(t, eval, "Progressing=False Reconciled", "Ready=True AllPassed")
	w.Remove(t, eval)
	w.Gone(t, eval)
}

// currentRun waits until the Job of a run that was asked for exists, is not suspended, and is not the former one.
func (w *kars) currentRun(t *testing.T, eval *api.KarsEval, former types.UID) *batchv1.Job {
	t.Helper()
	job := &batchv1.Job{}
	world.Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(eval), eval); err != nil {
			return err
		}
		if err := w.API.Get(t.Context(), client.ObjectKey{Namespace: eval.Namespace, Name: eval.Status.CurrentRun}, job); err != nil {
			return err
		}
		if job.UID == former || ptr.Deref(job.Spec.Suspend, false) || !job.DeletionTimestamp.IsZero() {
			return fmt.Errorf("Job %s is not as it was: %+v", job.Name, job.Spec)
		}
		return nil
	})
	return job
}

// restart ends the operator under objects that are settled: a new one writes nothing to them, though it knows no router at first. One
// without an inference endpoint runs no sandbox.
func restart(t *testing.T, w *kars) {
	ns := w.NewNamespace(t)
	tools, models, sandbox := newToolPolicy(ns, "tools"), newInferencePolicy(ns, "models"), newSandbox(ns, "staying")
	sandbox.Spec.Governance = &api.GovernanceSpec{ToolPolicyRef: &api.NameRef{Name: "tools"}}
	for _, o := range []client.Object{tools, models, sandbox} {
		w.Create(t, o)
	}
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, models, "Ready=True RouterEnforcing")
	before := w.Seen.Count(t)
	again := func() {
		t.Helper()
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
		w.run(t)
	}
	again()
	// When an object that is made after the start is judged, and the router was asked, the others have been judged too.
	probe := newToolPolicy(ns, "probe")
	w.Create(t, probe)
	w.Seen.Reach(t, probe, "Ready=False NoSandboxesReferencing")
	world.Eventually(t, func() error {
		if _, known := w.operator.Store.Get(client.ObjectKeyFromObject(sandbox)); !known {
			return fmt.Errorf("the router was not asked yet")
		}
		return nil
	})
	w.Wake(t)
	world.Edit(t, w.World, probe, func(p *api.ToolPolicy) { p.Spec.AgtProfile = nil })
	w.Seen.Reach(t, probe, "Ready=True Reconciled")
	after := w.Seen.Count(t)
	for _, o := range []client.Object{tools, models, sandbox} {
		if key := world.Key(o); after[key] != before[key] {
			t.Errorf("%s was written %d times by an operator that was restarted", key, after[key]-before[key])
		}
	}
	t.Logf("status writes of the restarted operator: %d, all of them to the object made after the start", w.operator.Writer.Writes())

	w.options.InferenceEndpoint = ""
	again()
	w.Seen.Reach(t, sandbox, "Ready=False Failed", "!Degraded", "Progressing=False Failed")
	w.Seen.Reach(t, tools, "Ready=False AwaitingRouterEnforcement") // nobody asks the router of a sandbox that cannot run
	w.Seen.Reach(t, models, "Ready=False AwaitingRouterEnforcement")
	w.options.InferenceEndpoint = "http://models.invalid"
	again()
	w.Seen.Reach(t, sandbox, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, tools, "Ready=True RouterEnforcing")
	w.Seen.Reach(t, models, "Ready=True RouterEnforcing")

	// A sandbox that is suspended has no router to wait for, so that no budget passes.
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = true })
	w.Seen.Reach(t, tools, "Progressing=True AwaitingRouterEnforcement")
	w.Seen.Reach(t, models, "Progressing=True AwaitingRouterEnforcement")
	w.Later(t, time.Hour)
	again()
	last := newToolPolicy(ns, "last")
	w.Create(t, last)
	w.Seen.Reach(t, last, "Ready=False NoSandboxesReferencing")
	w.Wake(t)
	world.Edit(t, w.World, last, func(p *api.ToolPolicy) { p.Spec.AgtProfile = nil })
	w.Seen.Reach(t, last, "Ready=True Reconciled") // the others have been judged, too
	for _, o := range []client.Object{tools, models} {
		w.Seen.Never(t, o, "Progressing=False TimedOut")
	}
	world.Edit(t, w.World, sandbox, func(s *api.KarsSandbox) { s.Spec.Suspended = false })
	w.Seen.Reach(t, tools, "Progressing=False Reconciled", "Ready=True RouterEnforcing")
	w.Seen.Reach(t, models, "Progressing=False Reconciled", "Ready=True RouterEnforcing")
	w.Leave(t, sandbox)
}

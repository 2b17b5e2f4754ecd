// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// requests are the types and engines of operations that are asked for; the last one is not possible.
var requests = [][2]string{{engine.Backup, engine.Velero}, {engine.Backup, engine.Velero}, {engine.Backup, engine.Job},
	{engine.Restore, engine.Velero},
	{engine.Restore, engine.Job}, {engine.RunCommand, engine.Job}, {engine.Runbook, engine.Workflow}, {engine.Migration, engine.Workflow},
	{engine.Upgrade, engine.Helm},
	{engine.Upgrade, engine.Helm}, {engine.Backup, engine.Helm}}

// engineWrites are statuses as the controllers of engines write them, by state; the sources are in operation_test.go.
var engineWrites = map[string]map[string][]map[string]any{
	"Backup": {"running": {{"phase": "InProgress"}, {"phase": "Finalizing"}}, "succeeded": {{"phase": "Completed"}},
		"failed": {{"phase": "PartiallyFailed"}, {"phase": "Failed"}, {"phase": "FailedValidation"}}},
	"Restore": {"running": {{"phase": "InProgress"}}, "succeeded": {{"phase": "Completed"}}, "failed": {{"phase": "PartiallyFailed"}}},
	"Workflow": {"": {{"phase": "Pending"}}, "running": {{"phase": "Running"}}, "succeeded": {{"phase": "Succeeded"}},
		"failed": {{"phase": "Failed"}, {"phase": "Error", "message": "no template"}}},
}

// request returns the object of an operation.
func (k *asked) request(o *oracle, p *played) *opsapi.Operation {
	x := of(o.operation(p.ns, k.name, "shop"), k.kind, k.engine)
	x.Spec.Parameters = opsapi.Parameters{}
	switch k.engine {
	case engine.Job:
		x.Spec.Parameters.Job = &opsapi.JobParameters{Image: "busybox", Command: []string{"true"}}
		pod(x, map[string]string{"running": "run", "failed": "fail"}[k.state])
	case engine.Velero:
		if k.kind == engine.Restore {
			x.Spec.Parameters.Velero = &opsapi.VeleroParameters{BackupName: "nightly"}
		}
	case engine.Workflow:
		x.Spec.Parameters.Workflow = &opsapi.WorkflowParameters{Template: "migrate"}
	case engine.Helm:
		x.Spec.Parameters.Helm = &opsapi.HelmParameters{TargetVersion: k.version}
	}
	x.Spec.Parameters.TimeoutSeconds = int64(k.timeout.Seconds())
	if k.kind == engine.Backup && k.timeout == backupTimeout || k.timeout == defaultTimeout {
		x.Spec.Parameters.TimeoutSeconds = 0 // that is the default
	}
	x.Spec.Approvals.Required = k.required && k.kind != engine.RunCommand // a command needs one whatever its author says
	x.Spec.Policy.RequireReady = &k.requires
	if k.patience != time.Hour {
		x.Spec.PreconditionTimeout = &metav1.Duration{Duration: k.patience}
	}
	return x
}

// The times that a Backup, and any other operation, may run.
const (
	backupTimeout  = 30 * time.Minute
	defaultTimeout = 24 * time.Hour
)

// asks creates an operation.
func (o *oracle) asks(t *testing.T, p *played) string {
	if p.app.leaving != "" || len(p.tasks) >= 4 || !p.app.exists && o.random.IntN(3) > 0 {
		return ""
	}
	request := requests[o.random.IntN(len(requests))]
	p.made++
	k := &asked{name: describe("op-%03d", p.made), kind: request[0], engine: request[1],
		patience: []time.Duration{time.Hour, 20 * time.Minute}[o.random.IntN(2)],
		required: o.random.IntN(4) == 0 || request[0] == engine.RunCommand}
	k.requires = k.kind == engine.Backup || k.kind == engine.Upgrade || k.kind == engine.Migration
	if o.random.IntN(4) == 0 {
		k.requires = !k.requires
	}
	switch {
	case k.kind == engine.Backup:
		k.timeout = backupTimeout
	case o.random.IntN(2) == 0:
		k.timeout = 50 * time.Minute
	default:
		k.timeout = defaultTimeout
	}
	switch k.engine {
	case engine.Job:
		k.state = []string{"succeeded", "failed", "running", "running"}[o.random.IntN(4)]
	case engine.Helm:
		if k.version = world.Pick(o.random, p.app.version, versions...); o.flux[p.ns].release == nil || p.app.occupied {
			return ""
		}
	}
	o.Create(t, k.request(o, p))
	p.tasks = append(p.tasks, k)
	return describe("%s: %s by %s, a Job that is %s", k.name, k.kind, k.engine, k.state)
}

// pick returns an operation of a tenant for which something holds; nil: there is none.
func (o *oracle) pick(p *played, holds func(*asked) bool) *asked {
	var all []*asked
	for _, k := range p.tasks {
		if holds(k) {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[o.random.IntN(len(all))]
}

// engines plays the controller of an engine, and people who delete or replace its objects.
func (o *oracle) engines(t *testing.T, p *played) string {
	k := o.pick(p, func(k *asked) bool {
		return !k.started.IsZero() && k.engine != engine.Helm && k.vanished.IsZero() && !k.foreign
	})
	if k == nil {
		return ""
	}
	x := o.operation(p.ns, k.name, "shop")
	if k.final != nil && (k.final["phase"] != "Succeeded" && k.final["phase"] != "Failed" || o.random.IntN(4) > 0) {
		return "" // sometimes the object of an operation that has ended changes
	}
	if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(x), x); err != nil {
		t.Fatal(err)
	}
	ref := x.Status.EngineRef
	if ref == nil {
		t.Fatalf("%s has started and names no object", k.name)
	}
	u := object(ref.APIVersion, ref.Kind, ref.Namespace, ref.Name)
	if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
		return ""
	}
	if k.final == nil && o.random.IntN(8) == 0 {
		o.Remove(t, u)
		o.Gone(t, u)
		k.vanished = o.Now()
		return k.name + ": its " + ref.Kind + " is deleted"
	}
	if k.final == nil && k.engine != engine.Job && o.random.IntN(8) == 0 {
		foreign := object(ref.APIVersion, ref.Kind, ref.Namespace, ref.Name)
		foreign.Object["spec"] = u.Object["spec"]
		foreign.SetLabels(u.GetLabels())
		o.Remove(t, u)
		o.Gone(t, u)
		o.Create(t, foreign)
		k.foreign = true
		return k.name + ": its " + ref.Kind + " is somebody else's"
	}
	if k.engine == engine.Job {
		if k.final != nil || k.state != "running" {
			return ""
		}
		o.finish(t, x)
		k.state = "succeeded"
		return k.name + ": its Job completes"
	}
	state := []string{"running", "running", "succeeded", "failed", ""}[o.random.IntN(5)]
	writes := engineWrites[ref.Kind][state]
	if len(writes) == 0 {
		return ""
	}
	status := writes[o.random.IntN(len(writes))]
	world.Edit(t, o.World, u, func(u *unstructured.Unstructured) { u.Object["status"] = status })
	if k.final == nil {
		k.state = state
	}
	return describe("%s: its %s has %v", k.name, ref.Kind, status)
}

// forges makes the object that the engine of an operation will work with before the operation starts: its name, labels and owner follow
// from the operation, which everybody may read. What runs is something else than was asked for.
func (o *oracle) forges(t *testing.T, p *played) string {
	k := o.pick(p, func(k *asked) bool {
		return k.started.IsZero() && k.final == nil && !k.forged && k.engine != engine.Helm &&
			(k.engine == engine.Job || o.served[groups[k.engine]])
	})
	if k == nil {
		return ""
	}
	x := o.operation(p.ns, k.name, "shop")
	if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(x), x); err != nil {
		t.Fatal(err)
	}
	u, err := engine.Object(x, p.shop(), "velero", nil)
	if err != nil {
		t.Fatal(err)
	}
	path := map[string][]string{"Job": {"spec", "activeDeadlineSeconds"}}[u.GetKind()]
	if path == nil {
		path = []string{"spec", "forged"}
	}
	if err := unstructured.SetNestedField(u.Object, int64(7200), path...); err != nil {
		t.Fatal(err)
	}
	o.Create(t, u)
	if writes := engineWrites[u.GetKind()]["succeeded"]; len(writes) > 0 {
		world.Edit(t, o.World, u, func(u *unstructured.Unstructured) { u.Object["status"] = writes[0] })
	}
	k.forged = true
	return k.name + ": somebody makes its " + u.GetKind() + " beforehand"
}

// resolved are the objects that an operation refers to, as the test has made them: besides the target there are none.
func (o *oracle) resolved(t *testing.T, p *played, x *opsapi.Operation) []approval.Reference {
	t.Helper()
	target := approval.Reference{Kind: "ApplicationInstance", Name: "shop", UID: p.app.uid}
	if x.Spec.Engine == engine.Helm {
		chart := appsapi.Chart{}
		if p.app.exists {
			shop := p.shop()
			if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(shop), shop); err != nil {
				t.Fatal(err)
			}
			chart = shop.Spec.Chart
			chart.Version = ""
		}
		var err error
		if target.Digest, err = claim.Digest(chart); err != nil {
			t.Fatal(err)
		}
	}
	more := map[string]approval.Reference{engine.Workflow: {Kind: "WorkflowTemplate", Name: "migrate"},
		engine.Velero + engine.Restore: {Kind: "Backup", Name: "nightly", Namespace: "velero"}}
	for _, key := range []string{x.Spec.Engine, x.Spec.Engine + x.Spec.Type} {
		if ref, ok := more[key]; ok {
			return []approval.Reference{target, ref}
		}
	}
	return []approval.Reference{target}
}

// edits changes the parameters of an operation that has not started: it is refused while there is a claim, and then the claim goes first.
func (o *oracle) edits(t *testing.T, p *played) string {
	k := o.pick(p, func(k *asked) bool { return k.started.IsZero() && k.final == nil })
	if k == nil {
		return ""
	}
	x := o.operation(p.ns, k.name, "shop")
	if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(x), x); err != nil {
		t.Fatal(err)
	}
	patience := time.Hour + time.Duration(k.edits+1)*time.Second // it is in what is approved, and changes nothing else
	edit := func(x *opsapi.Operation) { x.Spec.PreconditionTimeout = &metav1.Duration{Duration: patience} }
	if k.claim != "" {
		edited := x.DeepCopy()
		edit(edited)
		if err := o.API.Update(t.Context(), edited); !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) {
			t.Errorf("%s: an edit of what a claim approves: %v", k.name, err)
		}
		k.claim = ""
		world.Edit(t, o.World, x, func(x *opsapi.Operation) { x.Spec.Approvals.Claim = "" })
	}
	world.Edit(t, o.World, x, edit)
	k.edits++
	k.patience = patience
	return k.name + ": edited"
}

// ends approves, cancels or deletes an operation.
func (o *oracle) ends(t *testing.T, p *played) string {
	what := o.random.IntN(5)
	k := o.pick(p, func(k *asked) bool {
		return what == 0 || what < 3 && k.started.IsZero() || what >= 3 && (k.final != nil || o.random.IntN(4) == 0)
	})
	if k == nil {
		return ""
	}
	x := o.operation(p.ns, k.name, "shop")
	switch what {
	case 0:
		world.Edit(t, o.World, x, func(x *opsapi.Operation) {
			metav1.SetMetaDataAnnotation(&x.ObjectMeta, opsapi.AnnotationCancel, "true")
		})
		k.cancelled = true
		return k.name + ": cancelled"
	case 1, 2:
		k.claim = claimKinds[o.random.IntN(len(claimKinds))]
		if k.claimEnds = (time.Time{}); k.claim != "" {
			k.claimEnds = o.Now().Add([]time.Duration{20 * time.Minute, 12 * time.Hour}[o.random.IntN(2)]).Truncate(time.Second)
		}
		if err := o.API.Get(t.Context(), client.ObjectKeyFromObject(x), x); err != nil {
			t.Fatal(err)
		}
		s, err := claim.Operation(clusterID, x, o.resolved(t, p, x))
		if err != nil {
			t.Fatal(err)
		}
		text := o.claims(t, k.claim, s, k.claimEnds)
		k.claimed = k.content(p)
		world.Edit(t, o.World, x, func(x *opsapi.Operation) { x.Spec.Approvals.Claim = text })
		return describe("%s: claim %s", k.name, k.claim)
	}
	o.Remove(t, x)
	o.Gone(t, x)
	p.tasks = slices.DeleteFunc(p.tasks, func(other *asked) bool { return other == k })
	return k.name + ": deleted"
}

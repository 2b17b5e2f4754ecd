// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"errors"
	"testing"

	"github.com/tristate/tristate/operator"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestMadeBeforehand: a Job that somebody else has made under the name of an operation's own is never its result, whatever labels, owner
// and status it has. A Job of exactly the content that is asked for is the operation's own, whose creation was not stored.
func TestMadeBeforehand(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), appsapi.AddToScheme(scheme), api.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	o := &api.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "pre", UID: "b7a1c09e-0000-4000-8000-000000000001"},
		Spec: api.OperationSpec{Type: engine.Runbook, Engine: engine.Job, TargetRef: api.TargetRef{Name: "shop"},
			Parameters: api.Parameters{Job: &api.JobParameters{Image: "good"}}},
		Status: api.OperationStatus{StartedAt: &metav1.Time{Time: start}}}
	target := &appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop"}}
	pod := []string{"spec", "template", "spec"}
	set := func(value any, path ...string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := map[string]struct {
		change func(*unstructured.Unstructured)
		own    bool
		uid    types.UID // that the status has
	}{
		"the same content, whose creation was not stored": {func(*unstructured.Unstructured) {}, true, ""},
		"the stored one, which was edited since":          {set(int64(7), "spec", "activeDeadlineSeconds"), true, "forged"},
		"the same content, and another one was stored":    {func(*unstructured.Unstructured) {}, false, "own"},
		"another image": {set([]any{map[string]any{"name": "operation", "image": "forged"}}, append(pod, "containers")...), false,
			""},
		"a container before it": {set([]any{map[string]any{"name": "first", "image": "forged"}}, append(pod, "initContainers")...), false,
			""},
		"the network of the node": {set(true, append(pod, "hostNetwork")...), false, ""},
		"pods of another job":     {set(true, "spec", "manualSelector"), false, ""},
		"another label":           {func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) }, false, ""},
		"another owner":           {func(u *unstructured.Unstructured) { u.SetOwnerReferences(nil) }, false, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := o.DeepCopy()
			if test.uid != "" {
				o.Status.EngineRef = &api.EngineRef{APIVersion: "batch/v1", Kind: "Job", Name: engine.Name(o), UID: string(test.uid)}
			}
			job, err := engine.Object(o, target, "velero", nil)
			if err != nil {
				t.Fatal(err)
			}
			test.change(job)
			job.SetUID("forged")
			// What the API server makes of it, and a controller of Jobs.
			set(map[string]any{"matchLabels": map[string]any{batchv1.ControllerUidLabel: "forged"}}, "spec", "selector")(job)
			set(map[string]any{batchv1.ControllerUidLabel: "forged", batchv1.JobNameLabel: job.GetName()}, "spec", "template", "metadata",
				"labels")(job)
			set([]any{map[string]any{"type": "Complete", "status": "True"}}, "status", "conditions")(job)
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(target, job).Build()
			g := &gatherer{Env: &kit.Env{Host: &operator.Host{Manager: cluster{client: c}}, Policy: &kit.Policies{Client: c, Namespace: "system"}}}
			passes := map[string]func(*Facts) error{
				"it is observed":               func(f *Facts) error { return g.observe(t.Context(), o, f) },
				"it is there when one is made": func(f *Facts) error { return g.create(t.Context(), o, f) },
			}
			if test.uid != "" { // it was made
				delete(passes, "it is there when one is made")
			}
			for when, pass := range passes {
				f := Facts{Now: start, Started: start}
				if err := pass(&f); err != nil {
					t.Fatal(err)
				}
				want := map[bool]string{true: ReasonEngineCompleted, false: ReasonEngineFailed}[test.own]
				if f.end() != want || f.Exists != test.own {
					t.Errorf("%s: it ends with %q, %+v, want %q", when, f.end(), f, want)
				}
			}
		})
	}
	var left batchv1.JobList
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(target).Build()
	g := &gatherer{Env: &kit.Env{Host: &operator.Host{Manager: cluster{client: c}}, Policy: &kit.Policies{Client: c, Namespace: "system"}}}
	f := Facts{Now: start, Started: start}
	if err := g.create(t.Context(), o, &f); err != nil {
		t.Error(err)
	}
	if err := c.List(t.Context(), &left, client.InNamespace("team")); err != nil || len(left.Items) != 1 || !f.Exists {
		t.Errorf("%+v, %v: %+v", left.Items, err, f)
	}
}

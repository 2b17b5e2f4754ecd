// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/approval"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/claim"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestPinned: a WorkflowTemplate that refers to a template of another one, or takes a parameter from a ConfigMap,
// cannot be approved, wherever it refers to it. That one may be edited after the approval, and would run.
func TestPinned(t *testing.T) {
	const ref = `"templateRef":{"name":"shared","template":"t"}`
	for text, place := range map[string]string{
		`{"entrypoint":"main","templates":[{"name":"main","container":{"image":"i"}}]}`:                                           "",
		`{"entrypoint":"main","templates":[{"name":"main","steps":[[{"name":"s","template":"other"}]]}]}`:                         "",
		`{"templates":[{"name":"main","steps":[[{"name":"s",` + ref + `}]]}]}`:                                                    "spec.templates[0].steps[0][0].templateRef",
		`{"templates":[{"name":"main","dag":{"tasks":[{"name":"a"},{` + ref + `}]}}]}`:                                            "spec.templates[0].dag.tasks[1].templateRef",
		`{"hooks":{"exit":{` + ref + `}}}`:                                                                                        "spec.hooks.exit.templateRef",
		`{"arguments":{"parameters":[{"name":"image","valueFrom":{"configMapKeyRef":{"name":"c","key":"k"}}}]}}`:                  "spec.arguments.parameters[0].valueFrom.configMapKeyRef",
		`{"templates":[{"container":{"image":"i","env":[{"name":"e","valueFrom":{"configMapKeyRef":{"name":"c","key":"k"}}}]}}]}`: "",
		`{"workflowTemplateRef":{"name":"shared"}}`:                                                                               "spec.workflowTemplateRef",
	} {
		var content map[string]any
		if err := json.Unmarshal([]byte(text), &content); err != nil {
			t.Fatal(err)
		}
		err := pinned("spec", content)
		if errors.Is(err, errUnpinned) != (place != "") || err != nil && !strings.HasPrefix(err.Error(), place+": ") {
			t.Errorf("%s: %v, want a refusal at %q", text, err, place)
		}
	}
}

// TestApprovedTemplate: an approval covers what runs. The Workflow of an approved operation has the content that was approved, so that no
// edit of its WorkflowTemplate after the start counts; an edit between the approval and the start ends it.
func TestApprovedTemplate(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(appsapi.AddToScheme(scheme), api.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	target := &appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop"}}
	o := &api.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "flow", UID: "b7a1c09e-0000-4000-8000-000000000001"},
		Spec: api.OperationSpec{Type: engine.Runbook, Engine: engine.Workflow, TargetRef: api.TargetRef{Name: "shop"},
			Parameters: api.Parameters{Workflow: &api.WorkflowParameters{Template: "migrate", Arguments: map[string]string{"to": "2"}}},
			Approvals:  api.Approvals{Required: true}}}
	template := func(image string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"entrypoint": "main",
			"arguments": map[string]any{"parameters": []any{map[string]any{"name": "to", "value": "1"}, map[string]any{"name": "by"}}},
			"templates": []any{map[string]any{"name": "main", "container": map[string]any{"image": image}}}}}}
		u.SetGroupVersionKind(engine.WorkflowTemplate)
		u.SetNamespace("team")
		u.SetName("migrate")
		u.SetUID("t")
		return u
	}
	want := template("good").Object["spec"].(map[string]any)
	want["arguments"] = map[string]any{"parameters": []any{map[string]any{"name": "by"}, map[string]any{"name": "to", "value": "2"}}}
	for name, test := range map[string]struct {
		stored *unstructured.Unstructured
		want   any
	}{
		"as approved":      {template("good"), want},
		"edited since":     {template("evil"), nil},
		"approved nothing": {nil, map[string]any{"arguments": map[string]any{"parameters": []any{map[string]any{"name": "to", "value": "2"}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			approvedOne := template("good")
			if test.stored == nil {
				approvedOne = nil
			}
			of := func(u *unstructured.Unstructured) client.WithWatch {
				b := fake.NewClientBuilder().WithScheme(scheme).WithObjects(target)
				if u != nil {
					b = b.WithObjects(u.DeepCopy())
				}
				return b.Build()
			}
			at := func(c client.WithWatch) *gatherer {
				return &gatherer{Env: &kit.Env{Host: &operator.Host{Manager: cluster{client: c}}}}
			}
			before := at(of(approvedOne))
			resolved, _, err := resolve(t.Context(), before.Env, o, target)
			if err != nil {
				t.Fatal(err)
			}
			subject, err := claim.Operation("", o, resolved)
			if err != nil {
				t.Fatal(err)
			}
			c := of(test.stored)
			f := Facts{Now: start, Started: start, Approval: &approval.Approval{Digest: subject.Digest}}
			at(c).create(t.Context(), o, &f)
			made := &unstructured.Unstructured{}
			made.SetGroupVersionKind(engine.Kind(o))
			if err := c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: engine.Name(o)}, made); client.IgnoreNotFound(err) != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, made.Object["spec"]); diff != "" {
				t.Errorf("the Workflow (-want +got):\n%s", diff)
			}
			if (test.want == nil) != (f.Refused == claim.ErrChanged.Error()) {
				t.Errorf("refused: %q", f.Refused)
			}
		})
	}
}

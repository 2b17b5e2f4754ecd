// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/apps/v1alpha1"
	opsapi "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/agent"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const secret = "vws1.a-claim-that-nobody-may-see.0123456789abcdef"

func labels(managed bool) map[string]string {
	if !managed {
		return nil
	}
	return map[string]string{kit.LabelManagedBy: kit.ManagedBy}
}

func objects() []client.Object {
	app := func(name string, managed bool) *appsapi.ApplicationInstance {
		return &appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Labels: labels(managed)}}
	}
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Labels: map[string]string{kit.LabelNamespace: kit.ManagedNamespace}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "open"}},
		app("shop", true), app("private", false),
		&appsapi.ApplicationInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "open", Name: "shop", Labels: labels(true)}},
		&opsapi.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "nightly", Labels: labels(true)}},
	}
}

func world(t *testing.T, functions interceptor.Funcs) (*Runner, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), appsapi.AddToScheme(scheme), opsapi.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects()...).WithInterceptorFuncs(functions).Build()
	return &Runner{Client: c, Reader: c, ClusterID: "edge-1"}, c
}

func payload(t *testing.T, fields map[string]any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// about names the instance team/shop, with other fields over it.
func about(t *testing.T, over map[string]any) json.RawMessage {
	t.Helper()
	fields := map[string]any{"apiVersion": "apps.vworkspace.io/v1alpha1", "kind": "ApplicationInstance", "namespace": "team", "name": "shop",
		"claim": secret}
	maps.Copy(fields, over)
	return payload(t, fields)
}

// object returns a manifest of an instance, with other metadata over it.
func object(t *testing.T, kind, namespace string, metadata map[string]any) json.RawMessage {
	t.Helper()
	meta := map[string]any{"namespace": namespace, "name": "new"}
	maps.Copy(meta, metadata)
	version := "apps.vworkspace.io/v1alpha1"
	if kind == "Secret" {
		version = "v1"
	}
	return payload(t, map[string]any{"apiVersion": version, "kind": kind, "metadata": meta, "status": map[string]any{"observedGeneration": 7},
		"spec": map[string]any{"appRef": map[string]any{"catalogId": "odoo"}, "chart": map[string]any{"sourceType": "oci", "url": "oci://a",
			"name": "odoo", "version": "1.0.0"},
			"release": map[string]any{"name": "new"}}})
}

// TestRunner: the outcome of every job, and that no message has the claim.
func TestRunner(t *testing.T) {
	operation := map[string]any{"apiVersion": "ops.vworkspace.io/v1alpha1", "kind": "Operation", "name": "nightly"}
	with := func(over map[string]any, intent string) json.RawMessage {
		all := map[string]any{"intent": intent}
		maps.Copy(all, over)
		return about(t, all)
	}
	tests := map[string]struct {
		kind          string
		payload       json.RawMessage
		outcome, want string
	}{
		"another kind of job": {"restart", about(t, nil), agent.OutcomeFailed, `job kind "restart" is not known`},
		"apply":               {agent.JobApply, object(t, "ApplicationInstance", "team", nil), agent.OutcomeSucceeded, ""},
		"apply, not an object": {agent.JobApply, json.RawMessage(`"` + secret + `"`), agent.OutcomeFailed,
			"the payload is not an object"},
		"apply, no payload": {agent.JobApply, nil, agent.OutcomeFailed, "the payload is not an object"},
		"apply, a Secret":   {agent.JobApply, object(t, "Secret", "team", nil), agent.OutcomeFailed, errKind.Error()},
		"apply, a Cluster": {agent.JobApply,
			payload(t, map[string]any{"apiVersion": "ops.vworkspace.io/v1alpha1", "kind": "Cluster", "metadata": map[string]any{"name": "edge-1"}}),
			agent.OutcomeFailed, errKind.Error()},
		"apply, a namespace of others": {agent.JobApply, object(t, "ApplicationInstance", "open", nil), agent.OutcomeFailed,
			"namespace open is not managed"},
		"apply, no such namespace": {agent.JobApply, object(t, "ApplicationInstance", "absent", nil), agent.OutcomeFailed,
			`namespaces "absent" not found`},
		"delete": {agent.JobDelete, about(t, nil), agent.OutcomeSucceeded, ""},
		"delete, gone": {agent.JobDelete, about(t, map[string]any{"name": "absent"}), agent.OutcomeNoop,
			"the object does not exist"},
		"delete, of others": {agent.JobDelete, about(t, map[string]any{"name": "private"}), agent.OutcomeFailed,
			"ApplicationInstance private is not managed by the control plane"},
		"delete, a namespace of others": {agent.JobDelete, about(t, map[string]any{"namespace": "open"}), agent.OutcomeFailed,
			"namespace open is not managed"},
		"delete, a Namespace": {agent.JobDelete, payload(t, map[string]any{"apiVersion": "v1", "kind": "Namespace", "name": "team"}),
			agent.OutcomeFailed, errKind.Error()},
		"delete, malformed": {agent.JobDelete, json.RawMessage(`{"name":7,"claim":"` + secret + `"}`), agent.OutcomeFailed,
			"the payload is malformed"},
		"intent of an instance":  {agent.JobIntent, with(nil, "suspend"), agent.OutcomeSucceeded, ""},
		"intent of an operation": {agent.JobIntent, with(operation, "cancel"), agent.OutcomeSucceeded, ""},
		"intent of the other kind": {agent.JobIntent, with(nil, "cancel"), agent.OutcomeFailed,
			`intent "cancel" of a ApplicationInstance is not known`},
		"intent, unknown": {agent.JobIntent, with(operation, "restart"), agent.OutcomeFailed,
			`intent "restart" of a Operation is not known`},
		"intent, gone": {agent.JobIntent, with(map[string]any{"name": "absent"}, "suspend"), agent.OutcomeFailed,
			`applicationinstances.apps.vworkspace.io "absent" not found`},
		"intent for an object of others": {agent.JobIntent, with(map[string]any{"name": "private"}, "suspend"), agent.OutcomeFailed,
			"ApplicationInstance private is not managed by the control plane"},
		"intent, malformed with the claim": {agent.JobIntent, json.RawMessage(`{"claim":["` + secret + `"]}`), agent.OutcomeFailed,
			"the payload is malformed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, _ := world(t, interceptor.Funcs{})
			outcome, message := r.Run(t.Context(), agent.Job{ID: "1", Kind: test.kind, Payload: test.payload})
			if diff := cmp.Diff([]string{test.outcome, test.want}, []string{outcome, message}); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if strings.Contains(message, secret) {
				t.Error("the message has the claim")
			}
		})
	}
}

// TestRunner_apply: the object gets the labels of the gates; of its metadata only labels and annotations are applied, and no status.
func TestRunner_apply(t *testing.T) {
	r, c := world(t, interceptor.Funcs{})
	manifest := object(t, "ApplicationInstance", "team",
		map[string]any{"labels": map[string]any{"tier": "gold", kit.LabelManagedBy: "somebody"}, "annotations": map[string]any{"note": "n"},
			"finalizers":      []any{"example.com/hold"},
			"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}}})
	for range 2 { // again is the same
		if outcome, message := r.Run(t.Context(), agent.Job{Kind: agent.JobApply, Payload: manifest}); outcome != agent.OutcomeSucceeded {
			t.Fatal(outcome, message)
		}
	}
	var o appsapi.ApplicationInstance
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "new"}, &o); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"tier": "gold", kit.LabelManagedBy: kit.ManagedBy, kit.LabelClusterID: "edge-1"}
	if diff := cmp.Diff(want, o.Labels); diff != "" {
		t.Errorf("labels: -want +got\n%s", diff)
	}
	if o.Annotations["note"] != "n" || o.Spec.Chart.Version != "1.0.0" || len(o.Finalizers)+len(o.OwnerReferences) > 0 ||
		o.Status.ObservedGeneration != 0 {
		t.Errorf("%+v", o)
	}
}

// TestRunner_intents: the changes that each intent makes.
func TestRunner_intents(t *testing.T) {
	r, c := world(t, interceptor.Funcs{})
	app, operation := &appsapi.ApplicationInstance{}, &opsapi.Operation{}
	steps := []struct {
		kind, name, intent string
		read               func() string
		want               string
	}{
		{"ApplicationInstance", "shop", "suspend", func() string { return app.Annotations[appsapi.AnnotationReconcile] }, "disabled"},
		{"ApplicationInstance", "shop", "resume", func() string { return app.Annotations[appsapi.AnnotationReconcile] }, ""},
		{"ApplicationInstance", "shop", "approve", func() string { return app.Annotations[appsapi.AnnotationApprovalClaim] }, secret},
		{"Operation", "nightly", "approve", func() string { return operation.Spec.Approvals.Claim }, secret},
		{"Operation", "nightly", "cancel", func() string { return operation.Annotations[opsapi.AnnotationCancel] }, "true"},
	}
	for _, step := range steps {
		over := map[string]any{"kind": step.kind, "name": step.name, "intent": step.intent}
		if step.kind == "Operation" {
			over["apiVersion"] = "ops.vworkspace.io/v1alpha1"
		}
		if outcome, message := r.Run(t.Context(), agent.Job{Kind: agent.JobIntent, Payload: about(t, over)}); outcome != agent.OutcomeSucceeded {
			t.Fatalf("%s: %s %s", step.intent, outcome, message)
		}
		*app, *operation = appsapi.ApplicationInstance{}, opsapi.Operation{}
		if err := errors.Join(c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "shop"}, app),
			c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "nightly"}, operation)); err != nil {
			t.Fatal(err)
		}
		if got := step.read(); got != step.want {
			t.Errorf("%s of %s: %q, want %q", step.intent, step.kind, got, step.want)
		}
	}
}

// TestRunner_refused: a refusal of the API server is the outcome; a field that somebody else owns is a conflict, which is not forced.
func TestRunner_refused(t *testing.T) {
	resource := schema.GroupResource{Group: "apps.vworkspace.io", Resource: "applicationinstances"}
	tests := map[string]struct {
		err     error
		outcome string
	}{
		"conflict":  {apierrors.NewApplyConflict(nil, "conflict with \"kubectl\": .spec.chart.version"), agent.OutcomeConflict},
		"admission": {apierrors.NewForbidden(resource, "new", errors.New("the claim has expired")), agent.OutcomeFailed},
		"lost":      {errors.New("connection refused"), agent.OutcomeFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			forced := false
			r, _ := world(t, interceptor.Funcs{Apply: func(_ context.Context, _ client.WithWatch, _ runtime.ApplyConfiguration,
				options ...client.ApplyOption) error {
				var all client.ApplyOptions
				all.ApplyOptions(options)
				forced = all.Force != nil && *all.Force
				return test.err
			}})
			outcome, message := r.Run(t.Context(), agent.Job{Kind: agent.JobApply, Payload: object(t, "ApplicationInstance", "team", nil)})
			if outcome != test.outcome || !strings.Contains(test.err.Error(), message) || message == "" || forced {
				t.Errorf("%s %q, forced: %v; want %s for %v", outcome, message, forced, test.outcome, test.err)
			}
		})
	}
}

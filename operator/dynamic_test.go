// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/story/live"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const kettles = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kettles.operator.tristate.dev}
spec:
  group: operator.tristate.dev
  scope: Namespaced
  names: {kind: Kettle, plural: kettles}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties:
              conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type],
                items: {type: object, required: [type], x-kubernetes-preserve-unknown-fields: true, properties: {type: {type: string}}}}
`

// kettle is an object of a kind without a Go type.
type kettle struct{ unstructured.Unstructured }

func (k *kettle) GetConditions() []metav1.Condition {
	list, _, _ := unstructured.NestedSlice(k.Object, "status", "conditions")
	stored, _ := wire.FromUnstructured(list)
	return wire.ToMeta(stored)
}
func (k *kettle) DeepCopyObject() runtime.Object { return &kettle{*k.DeepCopy()} }

// TestNewReconciler: a kind without a Go type, which another queue brings, is reconciled by the same functions: conditions that the facts
// decide on, other fields with them in one request, an object before the pass for After, and a back-off that doubles.
func TestNewReconciler(t *testing.T) {
	config := plane.ForTest(t)
	if err := live.Install(t.Context(), config, []byte(kettles)); err != nil {
		t.Fatal(err)
	}
	host, err := operator.NewHost(config, operator.Options{Name: "kettle", Account: "kettle-operator", Domain: "example.dev",
		Registry: prometheus.NewRegistry(), Manager: manager.Options{Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	gv := schema.GroupVersion{Group: "operator.tristate.dev", Version: "v1"}
	kind := func(types ...string) *conditions.Kind {
		k := &conditions.Kind{Kind: "Kettle"}
		for _, name := range types {
			k.Types = append(k.Types, conditions.Type{Name: name, Presence: conditions.PresenceAlways, Reasons: []conditions.Reason{
				{Name: "Cold", Status: conditions.False, Class: conditions.ClassTransient},
				{Name: "Hot", Status: conditions.True, Class: conditions.ClassOK}}})
		}
		return k
	}
	declared := map[bool]*conditions.Kind{true: kind("Ready", "Whistling"), false: kind("Ready")} // by what the facts say
	hot := false
	var before []any
	empty := &kettle{}
	empty.SetGroupVersionKind(gv.WithKind("Kettle"))
	r := operator.NewReconciler(host, operator.Kind[*kettle, bool]{
		Resource: gv.WithResource("kettles"), Conditions: declared[false], Backoff: 8 * time.Second,
		Gather: func(context.Context, *kettle, time.Time) (bool, error) { return hot, nil },
		Judge: func(o *kettle, hot bool, now time.Time) operator.Pass {
			p := declared[hot].Begin(o.GetGeneration(), wire.FromMeta(o.GetConditions()), now)
			for _, one := range declared[hot].Types {
				if hot {
					p.Report(one.Name, conditions.True, "Hot", "")
				} else {
					p.Report(one.Name, conditions.False, "Cold", "")
				}
			}
			return p
		},
		Conclude: func(_ *kettle, hot bool, _ conditions.Result, _ time.Time) operator.Conclusion {
			return operator.Conclusion{Status: apply.Fields{"hot": hot}, Declared: declared[hot]}
		},
		After: func(_ context.Context, o *kettle, _ bool, _ func(string, string)) error {
			was, _, _ := unstructured.NestedFieldNoCopy(o.Object, "status", "hot")
			before = append(before, was)
			return nil
		},
	}, empty)

	o := empty.DeepCopyObject().(*kettle)
	o.SetNamespace(plane.Namespace(t, config))
	o.SetName("one")
	api, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := api.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(o)}
	for _, step := range []struct {
		hot    bool
		cells  map[string]string
		again  time.Duration // spread by 20 %
		writes int
	}{
		{false, map[string]string{"Ready": "False Cold"}, 8 * time.Second, 1},
		{false, map[string]string{"Ready": "False Cold"}, 16 * time.Second, 1},
		{true, map[string]string{"Ready": "True Hot", "Whistling": "True Hot"}, 0, 2},
		{true, map[string]string{"Ready": "True Hot", "Whistling": "True Hot"}, 0, 2},
		{false, map[string]string{"Ready": "False Cold"}, 8 * time.Second, 3},
	} {
		hot = step.hot
		result, err := r.Reconcile(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if least, most := step.again*4/5, step.again*6/5; result.RequeueAfter < least || result.RequeueAfter > most {
			t.Errorf("looked at again after %s, want %s", result.RequeueAfter, step.again)
		}
		if err := api.Get(t.Context(), request.NamespacedName, o); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, c := range o.GetConditions() {
			got[c.Type] = string(c.Status) + " " + c.Reason
		}
		if step.hot == false {
			delete(got, "Whistling") // of another pass: this one does not own it
		}
		if diff := cmp.Diff(step.cells, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if host.Writes() != step.writes {
			t.Errorf("%d writes, want %d", host.Writes(), step.writes)
		}
	}
	if diff := cmp.Diff([]any{nil, false, false, true, true}, before); diff != "" {
		t.Errorf("before each pass: -want +got\n%s", diff)
	}
}

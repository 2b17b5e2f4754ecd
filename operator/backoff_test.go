// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestBackoff: an object that fails is tried again when its deadline passes, however long its back-off is by then, and backs off as before
// afterwards; another object is not affected, and a clock that jumps over the deadline delays nothing.
func TestBackoff(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := newBackoff(func() time.Time { return now })
	one := reconcile.Request{NamespacedName: types.NamespacedName{Name: "one"}}
	other := reconcile.Request{NamespacedName: types.NamespacedName{Name: "other"}}
	for range 30 { // both are at the longest back-off
		b.When(one)
		b.When(other)
	}
	want := func(step string, r reconcile.Request, want time.Duration) {
		t.Helper()
		if got := b.When(r); got != want {
			t.Errorf("%s: back-off of %s, want %s", step, got, want)
		}
	}
	const longest = 1000 * time.Second
	want("no deadline", one, longest)
	b.due(one, now.Add(90*time.Second))
	want("a deadline", one, 90*time.Second)
	want("another object", other, longest)
	now = now.Add(80 * time.Second)
	want("nearer", one, 10*time.Second)
	now = now.Add(10 * time.Second)
	want("it has passed", one, longest)
	b.due(one, now.Add(time.Hour))
	want("a far one", one, longest)
	now = now.Add(24 * time.Hour)
	want("the clock jumped", one, longest)
	b.due(one, now.Add(time.Second))
	b.due(one, time.Time{})
	want("dropped", one, longest)
	b.due(one, now.Add(time.Minute))
	b.Forget(one)
	if got := b.When(one); got > time.Second {
		t.Errorf("after a success the back-off is %s", got)
	}
}

// gadget is an object whose Progressing may last for half an hour.
type gadget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Status struct {
		Conditions []metav1.Condition
		Waits      []conditions.Wait
	}
}

func (g *gadget) GetConditions() []metav1.Condition { return g.Status.Conditions }
func (g *gadget) GetWaits() []conditions.Wait       { return g.Status.Waits }
func (g *gadget) DeepCopyObject() runtime.Object    { next := *g; return &next }

// TestBackoff_gather: an object whose facts cannot be read for hours is tried again exactly when its deadline passes, whatever fails and
// when the operator was started. No clock runs: the queue is asked when it would try again.
func TestBackoff_gather(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	deadline := start.Add(30 * time.Minute)
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "example.dev", Version: "v1", Kind: "Gadget"}, &gadget{})
	stored := &gadget{ObjectMeta: metav1.ObjectMeta{Name: "one"}}
	stored.Status.Conditions = []metav1.Condition{{Type: "Progressing", Status: "True", Reason: "Rolling",
		LastTransitionTime: metav1.Time{Time: start}}}
	stored.Status.Waits = []conditions.Wait{{Type: "Progressing", Reason: "Rolling", Since: metav1.Time{Time: start}}}
	kind := &conditions.Kind{Kind: "Gadget", StatusWaits: true, Types: []conditions.Type{{Name: "Progressing",
		Reasons: []conditions.Reason{{Name: "Rolling", Status: conditions.True, Deadline: &conditions.Deadline{After: 30 * time.Minute}}}}}}
	away := errors.New("the API server is away")
	gather := func(context.Context, *gadget, time.Time) (int, error) { return 0, away }
	for name, failing := range map[string]Kind[*gadget, int]{"the facts": {Gather: gather}, "the finalizer": {Finalizer: "example.dev/gadget"},
		"the gate": {Ignore: func(context.Context, *gadget) (bool, error) { return false, away }}} {
		for _, began := range []time.Duration{0, 10 * time.Minute, 29*time.Minute + 59*time.Second} {
			now := start.Add(began)
			failing.Conditions = kind
			r := &Reconciler[*gadget, int]{Kind: failing, empty: &gadget{}, Now: func() time.Time { return now },
				Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(stored).WithInterceptorFuncs(interceptor.Funcs{
					Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
						return away
					},
				}).Build(), Status: &apply.Status{}}
			r.backoff = newBackoff(r.Now)
			request, hit := reconcile.Request{NamespacedName: types.NamespacedName{Name: "one"}}, false
			for range 40 {
				if _, err := r.Reconcile(t.Context(), request); !errors.Is(err, away) {
					t.Fatalf("%s: %v", name, err)
				}
				hit = hit || now.Equal(deadline)
				now = now.Add(r.backoff.When(request))
			}
			if !hit || now.Before(start.Add(2*time.Hour)) {
				t.Errorf("%s, started after %s: tried at the deadline: %t; by %s", name, began, hit, now)
			}
		}
	}
}

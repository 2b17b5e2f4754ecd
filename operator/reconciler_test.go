// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

type lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		Conditions []metav1.Condition `json:"conditions,omitempty"`
	} `json:"status"`
}

func (l *lamp) GetConditions() []metav1.Condition { return l.Status.Conditions }
func (l *lamp) DeepCopyObject() runtime.Object {
	out := *l
	out.ObjectMeta = *l.ObjectMeta.DeepCopy()
	return &out
}

var lampVersion = schema.GroupVersion{Group: "example.dev", Version: "v1"}

// reconcilerOf returns a reconciler of lamps on a fake client that has some; the stored conditions of a lamp are those that a pass reports,
// so no pass has anything to write.
func reconcilerOf(t *testing.T, kind Kind[*lamp, int], lamps ...client.Object) *Reconciler[*lamp, int] {
	t.Helper()
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(lampVersion.WithKind("Lamp"), &lamp{})
	metav1.AddToGroupVersion(scheme, lampVersion)
	kind.Conditions = &conditions.Kind{Kind: "Lamp"}
	kind.Gather = func(context.Context, *lamp, time.Time) (int, error) { return 0, nil }
	kind.Judge = func(o *lamp, _ int, now time.Time) Pass {
		return kind.Conditions.Begin(o.Generation, wire.FromMeta(o.Status.Conditions), now)
	}
	return &Reconciler[*lamp, int]{Kind: kind, Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(lamps...).Build(), Now: time.Now,
		Status:  &apply.Status{Target: apply.Target{Kind: "Lamp", Own: kind.Conditions, Path: apply.ParsePath("status.conditions")}},
		backoff: newBackoff(time.Now), empty: &lamp{},
		retries: workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](time.Second, Retry)}
}

// TestForgetFails: the clean-up of an object that is gone is repeated until it succeeds.
func TestForgetFails(t *testing.T) {
	refused, calls := errors.New("refused"), 0
	r := reconcilerOf(t, Kind[*lamp, int]{Forget: func(_ context.Context, _ ctrl.Request) error {
		if calls++; calls == 1 {
			return refused
		}
		return nil
	}})
	request := ctrl.Request{NamespacedName: client.ObjectKey{Name: "gone"}}
	for _, want := range []error{refused, nil} {
		if _, err := r.Reconcile(t.Context(), request); !errors.Is(err, want) {
			t.Errorf("after %d calls the queue gets %v, want %v", calls, err, want)
		}
	}
}

// TestAfterFails: an error of a write after that of the status makes the queue repeat the pass, also one that no retry of the status would
// help.
func TestAfterFails(t *testing.T) {
	refused, calls := errors.New("refused"), 0
	r := reconcilerOf(t, Kind[*lamp, int]{After: func(context.Context, *lamp, int, func(string, string)) error {
		if calls++; calls == 1 {
			return refused
		}
		return nil
	}}, &lamp{ObjectMeta: metav1.ObjectMeta{Name: "one"}})
	request := ctrl.Request{NamespacedName: client.ObjectKey{Name: "one"}}
	for _, want := range []error{refused, nil} {
		if _, err := r.Reconcile(t.Context(), request); !errors.Is(err, want) {
			t.Errorf("after %d calls the queue gets %v, want %v", calls, err, want)
		}
	}
}

// TestDeleteRefused: an error that keeps the children of an object from going is a fact, and its status is judged with
// it. A kind whose Leaving gathers the facts judges those.
func TestDeleteRefused(t *testing.T) {
	const finalizer = "example.dev/lamp"
	now, refused := metav1.Now(), errors.New("refused")
	for name, leaving := range map[string]func(context.Context, *lamp, time.Time) (int, error){
		"without facts of its own": nil,
		"with facts of its own":    func(context.Context, *lamp, time.Time) (int, error) { return 0, ErrNotYet },
	} {
		t.Run(name, func(t *testing.T) {
			var facts []int
			r := reconcilerOf(t, Kind[*lamp, int]{Finalizer: finalizer, Leaving: leaving,
				Delete:  func(context.Context, *lamp) (bool, error) { return false, refused },
				Refused: func(f *int, _ error) { *f = 7 },
			}, &lamp{ObjectMeta: metav1.ObjectMeta{Name: "one", Finalizers: []string{finalizer}, DeletionTimestamp: &now}})
			judge := r.Kind.Judge
			r.Kind.Judge = func(o *lamp, f int, now time.Time) Pass {
				facts = append(facts, f)
				return judge(o, f, now)
			}
			_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Name: "one"}})
			if !errors.Is(err, refused) {
				t.Errorf("the queue gets %v", err)
			}
			var want []int
			if leaving == nil {
				want = []int{7}
			}
			if diff := cmp.Diff(want, facts); diff != "" {
				t.Errorf("judged (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFinalizerOfOthers: a finalizer that other code sets is neither added to an object nor removed from it, until Delete is done with it.
func TestFinalizerOfOthers(t *testing.T) {
	const finalizer = "example.dev/lamp"
	deleted, gone := 0, false
	now := metav1.Now()
	r := reconcilerOf(t, Kind[*lamp, int]{Finalizer: finalizer,
		Guarded: func(o *lamp) bool { return controllerutil.ContainsFinalizer(o, finalizer) },
		Delete:  func(context.Context, *lamp) (bool, error) { deleted++; return gone, nil }},
		&lamp{ObjectMeta: metav1.ObjectMeta{Name: "without"}},
		&lamp{ObjectMeta: metav1.ObjectMeta{Name: "with", Finalizers: []string{finalizer}}},
		&lamp{ObjectMeta: metav1.ObjectMeta{Name: "leaving", Finalizers: []string{finalizer, "example.dev/other"}, DeletionTimestamp: &now}})
	for _, step := range []struct {
		name string
		gone bool
		want []string
	}{
		{"without", false, nil},
		{"with", false, []string{finalizer}},
		{"leaving", false, []string{finalizer, "example.dev/other"}},
		{"leaving", true, []string{"example.dev/other"}},
	} {
		gone = step.gone
		key := client.ObjectKey{Name: step.name}
		if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
			t.Fatal(err)
		}
		var stored lamp
		if err := r.Client.Get(t.Context(), key, &stored); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, stored.Finalizers); diff != "" {
			t.Errorf("%s: -want +got\n%s", step.name, diff)
		}
	}
	if deleted != 2 {
		t.Errorf("Delete was called %d times, want 2", deleted)
	}
}

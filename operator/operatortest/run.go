// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/operator"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// Run is an object under a kind and a clock. Make one with [New].
type Run[T operator.Object, F any] struct {
	Object T
	Now    time.Time

	t      testing.TB
	kind   operator.Kind[T, F]
	facts  F
	next   time.Time
	writes int
}

// New returns an object that no pass has been made over, at a moment.
func New[T operator.Object, F any](t testing.TB, kind operator.Kind[T, F], object T, now time.Time) *Run[T, F] {
	return &Run[T, F]{Object: object, Now: now, t: t, kind: kind}
}

// Pass judges facts now, and stores the outcome with the object. It returns the result of the pass.
func (r *Run[T, F]) Pass(facts F) conditions.Result {
	r.t.Helper()
	r.facts = facts
	result, end := r.kind.Outcome(r.Object, facts, r.Now)
	for _, err := range result.Errors {
		r.t.Errorf("at %s: %v", r.Now.Format(time.RFC3339), err)
	}
	r.next = end.Again
	if at := result.RequeueAt; !at.IsZero() && (r.next.IsZero() || at.Before(r.next)) {
		r.next = at
	}
	if r.store(result, end.Status) {
		r.writes++
	}
	return result
}

// Advance moves the clock on, and judges the facts of the last pass at each moment on the way at which the object asked for it.
func (r *Run[T, F]) Advance(d time.Duration) {
	r.t.Helper()
	end := r.Now.Add(d)
	for last := r.Now; !r.next.IsZero() && !r.next.After(end); last = r.Now {
		if r.Now = r.next; !r.Now.After(last) {
			r.Now = last.Add(time.Second) // a moment that is over: the queue looks again after a second
		}
		r.Pass(r.facts)
	}
	r.Now = end
}

// Cells compares the stored conditions of some types with "STATUS REASON"; an empty text is an absent type.
func (r *Run[T, F]) Cells(want map[string]string) {
	r.t.Helper()
	got := map[string]string{}
	for name := range want {
		got[name] = ""
	}
	for _, c := range r.Object.GetConditions() {
		if _, asked := want[c.Type]; asked {
			got[c.Type] = string(c.Status) + " " + c.Reason
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("at %s: -want +got\n%s", r.Now.Format(time.RFC3339), diff)
	}
}

// Writes compares how many passes since the last call changed the status.
func (r *Run[T, F]) Writes(want int) {
	r.t.Helper()
	if r.writes != want {
		r.t.Errorf("at %s: %d writes, want %d", r.Now.Format(time.RFC3339), r.writes, want)
	}
	r.writes = 0
}

// store puts the outcome of a pass into the status of the object, as a write would, and reports whether anything changed.
func (r *Run[T, F]) store(result conditions.Result, status any) bool {
	r.t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r.Object)
	if err != nil {
		r.t.Fatal(err)
	}
	before, _ := object["status"].(map[string]any)
	after := map[string]any{}
	if status != nil {
		if after, err = runtime.DefaultUnstructuredConverter.ToUnstructured(status); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, name := range r.kind.Foreign {
		after[name] = before[name]
	}
	list := []any{}
	for _, c := range result.Conditions() {
		list = append(list, wire.ToUnstructured(c, r.kind.Conditions.Dialect))
	}
	after["conditions"] = list
	if r.kind.Conditions.StatusGeneration {
		after["observedGeneration"] = r.Object.GetGeneration()
	}
	if delete(after, "waits"); r.kind.Conditions.StatusWaits && len(result.Waits) > 0 {
		list := []any{}
		for _, w := range result.Waits {
			entry, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&w)
			if err != nil {
				r.t.Fatal(err)
			}
			list = append(list, entry)
		}
		after["waits"] = list
	}
	old := r.Object.DeepCopyObject()
	target := reflect.ValueOf(r.Object).Elem().FieldByName("Status")
	target.SetZero()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(after, target.Addr().Interface()); err != nil {
		r.t.Fatal(err)
	}
	return !equality.Semantic.DeepEqual(reflect.ValueOf(old).Elem().FieldByName("Status").Interface(), target.Interface())
}

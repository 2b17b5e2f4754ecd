// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/operator"
	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEnded: the status of an operation that has ended is confirmed for a spec that is edited afterwards, and nothing but the observed
// generations changes.
func TestEnded(t *testing.T) {
	at := metav1.Time{Time: start}
	stored := api.OperationStatus{ObservedGeneration: 1, Phase: "Failed", StartedAt: &at, FinishedAt: &at,
		EngineRef:   &api.EngineRef{APIVersion: "batch/v1", Kind: "Job", Namespace: "n", Name: "op", UID: "u"},
		Transitions: []transition.Transition{{Sequence: 7, Type: TypeFailed, Status: "True", Reason: ReasonTimeout, Time: at, Generation: 1}}}
	p := BeginList(1, nil, start)
	Judge(p, Facts{Now: start.Add(time.Hour), Started: start, Exists: true, Timeout: time.Minute,
		Overdue: Overdue{Engine: true}})
	stored.Conditions = wire.ToMeta(p.Commit().Conditions())

	tests := map[string]struct {
		change func(*api.Operation)
		want   int64 // observed generation; 0: nothing is judged
	}{
		"nothing is edited": {func(*api.Operation) {}, 0},
		"the spec":          {func(o *api.Operation) { o.Generation = 2 }, 2},
		"it is deleted":     {func(o *api.Operation) { o.Generation, o.DeletionTimestamp = 2, &at }, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := &api.Operation{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "op", UID: "1", Generation: 1}, Status: *stored.DeepCopy()}
			test.change(o)
			now := start.Add(24 * time.Hour)
			f, err := new(gatherer).gather(t.Context(), o, now)
			if test.want == 0 {
				if !errors.Is(err, operator.ErrNotYet) {
					t.Errorf("judged: %+v, %v", f, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			result := judge(o, f, now).Commit()
			j := new(gatherer).conclude(o, f, result, now)
			if len(result.Errors) > 0 || len(result.Transitions) > 0 || !result.Changed || !j.Again.IsZero() {
				t.Errorf("changed %v, again at %s, transitions %v, errors %v", result.Changed, j.Again, result.Transitions, result.Errors)
			}
			want := stored.DeepCopy()
			want.ObservedGeneration = test.want
			for i := range want.Conditions {
				want.Conditions[i].ObservedGeneration = test.want
			}
			have := j.Status.(*api.OperationStatus)
			have.Conditions = wire.ToMeta(result.Conditions())
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

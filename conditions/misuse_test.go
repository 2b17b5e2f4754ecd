// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func plain(r conditions.Result) []metav1.Condition {
	var list []metav1.Condition
	for _, c := range r.Conditions() {
		list = append(list, c.Condition)
	}
	return list
}

// TestMisuse: no wrong use of the library panics or loses a stored condition, and each that loses a report is an error.
func TestMisuse(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	stored := []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Works", LastTransitionTime: metav1.NewTime(now)}}
	var none *conditions.Kind
	pass := none.BeginMeta(1, stored, now)
	pass.Report("Ready", conditions.False, "Broken", "")
	result := pass.Commit()
	if diff := cmp.Diff(stored, plain(result)); diff != "" || result.Changed || len(result.Errors) == 0 {
		t.Errorf("the pass of a nil kind: changed %t, errors %v, -want +got\n%s", result.Changed, result.Errors, diff)
	}
	if diff := cmp.Diff(stored, plain(result.Without(nil))); diff != "" {
		t.Errorf("without nothing: -want +got\n%s", diff)
	}

	kind := &conditions.Kind{Kind: "Box", Types: []conditions.Type{{Name: "Ready"}, {Name: "Full"}}}
	var memory conditions.Memory
	var nothing *conditions.Memory
	first, second, third := memory.BeginMeta(kind, 1, nil, now), memory.BeginMeta(kind, 1, nil, now), nothing.BeginMeta(kind, 1, nil, now)
	first.Report("Ready", conditions.True, "One", "")
	second.Report("Full", conditions.True, "Two", "")
	third.Report("Full", conditions.True, "Three", "")
	for pass, want := range map[*conditions.Pass][]string{
		&first: {"One", "NotReported"}, &second: {"NotReported", "Two"}, &third: {"NotReported", "Three"},
	} {
		var got []string
		for _, c := range plain(pass.Commit()) {
			got = append(got, c.Reason)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("a pass has the facts of another: -want +got\n%s", diff)
		}
	}
}

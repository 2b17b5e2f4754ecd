// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestWithout: a cell that is left out is absent, and leaving it out again is no change.
func TestWithout(t *testing.T) {
	kind := &conditions.Kind{Kind: "Gadget", Types: []conditions.Type{
		{Name: "Ready", Role: conditions.RoleSummary, Reasons: []conditions.Reason{{Name: "Failed", Status: "False"},
			{Name: "Done", Status: "True"}}},
		{Name: "Degraded", Polarity: conditions.Negative, Reasons: []conditions.Reason{{Name: "Broken", Status: "True"}}}}}
	leave := func(c conditions.Condition) bool { return c.Reason == "Failed" }
	pass := func(stored []metav1.Condition, at int64, ready string, status conditions.Status) conditions.Result {
		p := kind.BeginMeta(1, stored, time.Unix(at, 0))
		p.Report("Ready", status, ready, "")
		p.Report("Degraded", conditions.True, "Broken", "")
		return p.Commit().Without(leave)
	}
	stored := func(r conditions.Result) (out []metav1.Condition) {
		for _, c := range r.Conditions() {
			out = append(out, c.Condition)
		}
		return out
	}
	first := pass(nil, 1, "Failed", conditions.False)
	if !first.Changed || len(first.Owned()) != 1 || len(first.Conditions()) != 1 || first.Owned()[0].Type != "Degraded" ||
		len(first.Transitions) != 1 {
		t.Fatalf("the first pass: %+v", first)
	}
	if second := pass(stored(first), 2, "Failed", conditions.False); second.Changed || len(second.Transitions) != 0 {
		t.Errorf("a pass with nothing new: %+v", second)
	}
	done := pass(stored(first), 3, "Done", conditions.True)
	if !done.Changed || len(done.Conditions()) != 2 {
		t.Errorf("a cell that is not left out: %+v", done)
	}
	if back := pass(stored(done), 4, "Failed", conditions.False); !back.Changed || len(back.Conditions()) != 1 || len(back.Owned()) != 1 {
		t.Errorf("back to a cell that is left out: %+v", back)
	}
}

// TestWithoutWaits: a wait of a cell that is left out is stored once, and again when it begins anew.
func TestWithoutWaits(t *testing.T) {
	kind := &conditions.Kind{Kind: "Gadget", StatusWaits: true,
		Types: []conditions.Type{{Name: "Ready", Role: conditions.RoleSummary, Reasons: []conditions.Reason{
			{Name: "Waiting", Status: "False", Deadline: &conditions.Deadline{After: time.Minute, Since: conditions.SinceProgress}},
			{Name: "Done", Status: "True"}}}}}
	var waits []conditions.Wait
	for i, step := range []struct {
		token   string
		changed bool
	}{{"a", true}, {"a", false}, {"b", true}, {"b", false}} {
		p := kind.Begin(1, nil, time.Unix(int64(i), 0))
		p.SetWaits(waits)
		p.Report("Ready", conditions.False, "Waiting", "")
		p.Progress("Ready", step.token)
		r := p.Commit().Without(func(c conditions.Condition) bool { return c.Reason == "Waiting" })
		if r.Changed != step.changed || len(r.Conditions()) != 0 || len(r.Waits) != 1 {
			t.Errorf("step %d: changed %v, want %v: %+v", i, r.Changed, step.changed, r)
		}
		waits = r.Waits
	}
}

// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestWaited: a wait is counted from when it began, not from when Progressing became True, which may have been for another reason.
func TestWaited(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(-d)} }
	tests := map[string]struct {
		ready string
		since *metav1.Time
		fresh bool
		want  operator.Waiting
	}{
		"it begins":                      {"NoSandboxesReferencing", nil, false, operator.Waiting{Since: now, Until: now.Add(WaitBudget)}},
		"after another wait":             {"Created", ago(2 * time.Hour), false, operator.Waiting{Since: now, Until: now.Add(WaitBudget)}},
		"after another wait timed out":   {"Created", ago(2 * WaitBudget), false, operator.Waiting{Since: now, Until: now.Add(WaitBudget)}},
		"it goes on":                     {"Awaiting", ago(time.Minute), false, operator.Waiting{Since: ago(time.Minute).Time, Until: now.Add(WaitBudget - time.Minute)}},
		"its budget is over":             {"Awaiting", ago(WaitBudget), false, operator.Waiting{Since: ago(WaitBudget).Time, TimedOut: true}},
		"another artifact is waited for": {"Awaiting", ago(WaitBudget), true, operator.Waiting{Since: now, Until: now.Add(WaitBudget)}},
		"a status of an older release":   {"Awaiting", nil, false, operator.Waiting{Since: now, Until: now.Add(WaitBudget)}},
	}
	for name, test := range tests {
		stored := []metav1.Condition{{Type: "Progressing", Status: metav1.ConditionTrue, Reason: test.ready, LastTransitionTime: *ago(24 * time.Hour)},
			{Type: "Ready", Status: metav1.ConditionFalse, Reason: test.ready, LastTransitionTime: *ago(24 * time.Hour)}}
		if d := cmp.Diff(test.want, Waited(stored, test.since, "Awaiting", test.fresh, now)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

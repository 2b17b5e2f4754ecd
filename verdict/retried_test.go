// SPDX-License-Identifier: Apache-2.0

package verdict_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/verdict"
)

// A failure that a controller tries again is progress while the object is young or its spec has just changed, and the failure after its
// budget.
func TestJudge_retried(t *testing.T) {
	created := time.Date(2026, 11, 2, 11, 59, 30, 0, time.UTC)
	object := func(message string, generation int64, changed time.Time) map[string]any {
		return map[string]any{"apiVersion": "example.org/v1", "kind": "Lamp",
			"metadata": map[string]any{"generation": generation, "creationTimestamp": created.Format(time.RFC3339), "managedFields": []any{
				map[string]any{"time": changed.Format(time.RFC3339), "fieldsV1": map[string]any{"f:spec": map[string]any{}}}}},
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "InstallFailed",
				"message": message, "lastTransitionTime": created.Add(5 * time.Second).Format(time.RFC3339)}}}}
	}
	const again = "deployment is unavailable: Deployment does not have minimum availability."
	hour := created.Add(time.Hour)
	for name, test := range map[string]struct {
		object map[string]any
		at     time.Time
		want   verdict.Status
	}{
		"an object that was just made":          {object(again, 1, created), created.Add(time.Minute), verdict.InProgress},
		"after its budget":                      {object(again, 1, created), created.Add(15 * time.Minute), verdict.Failed},
		"a spec that has just changed":          {object(again, 2, hour), hour.Add(time.Minute), verdict.InProgress},
		"a spec that changed long ago":          {object(again, 2, created), hour, verdict.Failed},
		"a failure that is not tried again":     {object("the size is wrong", 1, created), created.Add(time.Minute), verdict.Failed},
		"a controller that has given up":        {object("retries exhausted", 1, created), created.Add(time.Minute), verdict.Failed},
		"an error that is tried again, in vain": {object("access denied, will retry", 1, created), created.Add(time.Minute), verdict.Failed},
	} {
		v := new(verdict.Engine).Judge(test.object, test.at)
		if v.Status != test.want {
			t.Errorf("%s: want %s, got %s", name, test.want, v.Status)
		}
		if end := v.NextLook; v.Status == verdict.InProgress {
			if later := new(verdict.Engine).Judge(test.object, end); later.Status != verdict.Failed {
				t.Errorf("%s: want Failed at the end of the budget, %s, got %s", name, end, later.Status)
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"maps"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// TestBound: nothing waits forever. An object that is in progress and has not changed for two days is overdue, or its verdict is in doubt.
// It holds for every labelled object whose times are taken away, as if its status had been written once, at its creation.
func TestBound(t *testing.T) {
	engine := pack.Default(embedded(t))
	created := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	waits := 0
	for _, x := range allLabelled(t) {
		object, _ := timeless(x.object).(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		if metadata == nil {
			metadata = map[string]any{}
		}
		object["metadata"] = metadata
		at := created.Format(time.RFC3339)
		metadata["creationTimestamp"] = at
		metadata["managedFields"] = []any{
			map[string]any{"time": at, "fieldsV1": map[string]any{"f:spec": map[string]any{}}},
			map[string]any{"time": at, "subresource": "status"},
		}
		now := created.Add(48 * time.Hour)
		v := engine.Judge(object, now)
		if v.Status != verdict.InProgress {
			continue
		}
		if waits++; !v.Overdue(now) && v.Confidence() == verdict.Sure {
			t.Errorf("%s: %v %v is in progress by %s, %s: %s; budget %s", x.set, object["kind"], metadata["name"], v.Rule, v.Reason, v.Message,
				v.Budget)
		}
	}
	t.Logf("%d objects are in progress", waits)
}

// timeless returns a copy of a value without its members that are times.
func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for key, member := range v {
			text, _ := member.(string)
			if _, err := time.Parse(time.RFC3339, text); err == nil {
				delete(out, key)
			} else {
				out[key] = timeless(member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = timeless(v[i])
		}
		return out
	}
	return v
}

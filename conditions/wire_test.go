// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"encoding/json"
	"testing"

	. "github.com/tristate/tristate/conditions"
	. "github.com/tristate/tristate/conditions/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFromUnstructured(t *testing.T) {
	entry := func(change map[string]any) map[string]any {
		m := map[string]any{"type": "Ready", "status": "True", "reason": "Up", "message": "text", "lastTransitionTime": "2026-01-02T03:04:05Z",
			"observedGeneration": int64(3)}
		for key, value := range change {
			if m[key] = value; value == nil {
				delete(m, key)
			}
		}
		return m
	}
	full := cond("Ready", True, "Up", "text", 3, t0)
	with := func(change func(*Condition)) Condition {
		c := full
		change(&c)
		return c
	}
	tests := map[string]struct {
		in     any
		want   []Condition
		errors []string
	}{
		"whole": {entry(nil), []Condition{full}, nil},
		"severity": {entry(map[string]any{"severity": "Warning"}), []Condition{with(func(c *Condition) { c.Severity = SeverityWarning })},
			nil},
		"float generation": {entry(map[string]any{"observedGeneration": 3.0}), []Condition{full}, nil},
		"json.Number":      {entry(map[string]any{"observedGeneration": json.Number("3")}), []Condition{full}, nil},
		"no generation": {entry(map[string]any{"observedGeneration": nil}), []Condition{with(func(c *Condition) { c.ObservedGeneration = 0 })},
			nil},
		"half a generation": {entry(map[string]any{"observedGeneration": 3.5}),
			[]Condition{with(func(c *Condition) { c.ObservedGeneration = 0 })},
			[]string{"conditions[0].observedGeneration (condition Ready): is a number, not a whole number"}},
		"no type":    {entry(map[string]any{"type": nil}), []Condition{}, []string{"conditions[0].type: is missing"}},
		"empty type": {entry(map[string]any{"type": ""}), []Condition{}, []string{"conditions[0].type: is empty"}},
		"no status": {entry(map[string]any{"status": nil}), []Condition{with(func(c *Condition) { c.Status = Unknown })},
			[]string{"conditions[0].status (condition Ready): is missing"}},
		"odd status": {entry(map[string]any{"status": "true"}), []Condition{with(func(c *Condition) { c.Status = Unknown })},
			[]string{`conditions[0].status (condition Ready): "true" is not True, False or Unknown`}},
		"bool status": {entry(map[string]any{"status": true}), []Condition{with(func(c *Condition) { c.Status = Unknown })},
			[]string{"conditions[0].status (condition Ready): is a boolean, not a string"}},
		"odd time": {entry(map[string]any{"lastTransitionTime": "now"}),
			[]Condition{with(func(c *Condition) { c.LastTransitionTime = metav1.Time{} })},
			[]string{`conditions[0].lastTransitionTime (condition Ready): "now" is not a time of RFC 3339`}},
		"not an entry": {"Ready", []Condition{}, []string{"conditions[0]: is a string, not an object"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := FromUnstructured([]any{tt.in})
			same(t, "conditions", tt.want, got)
			same(t, "errors", tt.errors, texts(errs))
		})
	}
	none, errs := FromUnstructured(nil)
	if none != nil || errs != nil {
		t.Error("no list gives something")
	}
}

// Reading never panics, whatever stands in the list, and what a pass over it leaves can be read again without a change.
func FuzzFromUnstructured(f *testing.F) {
	f.Add([]byte(`[{"type":"Ready","status":"True","reason":"Up","message":"","lastTransitionTime":"2026-01-02T03:04:05Z","observedGeneration":3}, 7, null, [], {"type":3}]`))
	f.Add([]byte(`[{"type":"A","status":"Maybe","severity":5,"observedGeneration":1e99},{"type":"A","lastTransitionTime":"x"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var raw []any
		if json.Unmarshal(data, &raw) != nil || len(raw) == 0 {
			return
		}
		list, errs := FromUnstructured(raw)
		if len(list) < len(raw) && len(errs) == 0 {
			t.Error("an entry is left out without an error")
		}
		p := thing().Begin(1, list, t1)
		p.Report("Synced", True, "UpToDate", "")
		got := p.Commit()
		var out []any
		for i := range got.Conditions() {
			out = append(out, ToUnstructured(got.Conditions()[i], DialectCore))
		}
		for i := range got.Owned() {
			if Find(list, got.Owned()[i].Type) < 0 {
				same(t, "an entry of ours", 0, len(Validate(&got.Owned()[i], DialectCore)))
			}
		}
		again, _ := FromUnstructured(out)
		p = thing().Begin(1, again, t2)
		p.Report("Synced", True, "UpToDate", "")
		if p.Commit().Changed {
			t.Errorf("a second pass over %s has something to write", data)
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tristate/tristate/conditions"
)

var shapes = []conditions.Shape{
	conditions.ShapeMeta, conditions.ShapeCAPIv1beta1, conditions.ShapeKnative, conditions.ShapeOpenShift, conditions.ShapeCrossplane,
}

const when = "2026-01-02T03:04:05Z"

func TestShapeRead(t *testing.T) {
	full := map[string]any{
		"type": "Ready", "status": "False", "reason": "Broken", "message": "text", "severity": "Warning", "observedGeneration": int64(3),
		"lastTransitionTime": when, "lastProbeTime": when,
	}
	tests := map[string]struct {
		shape  conditions.Shape
		entry  map[string]any
		wrote  string // what stays of the entry in the shape
		faults []string
	}{
		"metav1":       {entry: full, wrote: "Broken text  3"},
		"capi-v1beta1": {shape: conditions.ShapeCAPIv1beta1, entry: full, wrote: "Broken text Warning 0"},
		"knative":      {shape: conditions.ShapeKnative, entry: full, wrote: "Broken text Warning 0"},
		"openshift":    {shape: conditions.ShapeOpenShift, entry: full, wrote: "Broken text  0"},
		"crossplane":   {shape: conditions.ShapeCrossplane, entry: full, wrote: "Broken text  3"},
		"what is missing in metav1": {
			entry: map[string]any{"type": "Ready", "status": "True"}, wrote: "   0",
			faults: []string{
				"status.conditions[1].reason (condition Ready): is missing", "status.conditions[1].message (condition Ready): is missing",
				"status.conditions[1].lastTransitionTime (condition Ready): is missing",
			},
		},
		"what may be missing": {
			shape: conditions.ShapeOpenShift, entry: map[string]any{"type": "Ready", "status": "True", "lastTransitionTime": when}, wrote: "   0",
		},
		"severity Error is none of Knative's": {
			shape:  conditions.ShapeKnative,
			entry:  map[string]any{"type": "Ready", "status": "False", "severity": "Error", "lastTransitionTime": when},
			wrote:  "   0",
			faults: []string{`status.conditions[1].severity (condition Ready): "Error" is not one of Warning, Info`},
		},
		"a wrong field that the shape does not have": {
			shape: conditions.ShapeKnative,
			entry: map[string]any{"type": "Ready", "status": "False", "observedGeneration": "x", "lastTransitionTime": when}, wrote: "   0",
		},
		"a wrong status": {
			shape: conditions.ShapeOpenShift,
			entry: map[string]any{"type": "Ready", "status": 5, "lastTransitionTime": when}, wrote: "   0",
			faults: []string{"status.conditions[1].status (condition Ready): is a number, not a string"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l, errs := tt.shape.Read([]any{"no object", tt.entry}, "status.conditions")
			want := append([]string{"status.conditions[0]: is a string, not an object"}, tt.faults...)
			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			c := l.Conditions[0]
			raw, _ := json.Marshal(c.ObservedGeneration)
			if diff := cmp.Diff(tt.wrote, c.Reason+" "+c.Message+" "+string(c.Severity)+" "+string(raw)); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShapeWrite(t *testing.T) {
	var c conditions.Condition
	c.Type, c.Status, c.Reason, c.Message = "Ready", conditions.False, "Broken", ""
	c.Severity, c.ObservedGeneration = conditions.SeverityWarning, 4
	entry := map[string]any{
		"type": "Ready", "status": "True", "reason": "Fine", "message": "all well", "lastTransitionTime": when, "lastProbeTime": when,
		"observedGeneration": float64(4), "severity": "",
	}
	common := map[string]any{"type": "Ready", "status": "False", "reason": "Broken", "lastProbeTime": when, "lastTransitionTime": nil}
	with := func(more map[string]any) map[string]any {
		out := maps.Clone(common)
		maps.Copy(out, more)
		return out
	}
	tests := map[conditions.Shape]map[string]any{
		conditions.ShapeMeta:        with(map[string]any{"message": "", "observedGeneration": float64(4), "severity": ""}),
		conditions.ShapeCAPIv1beta1: with(map[string]any{"severity": "Warning", "observedGeneration": float64(4)}),
		conditions.ShapeKnative:     with(map[string]any{"severity": "Warning", "observedGeneration": float64(4)}),
		conditions.ShapeOpenShift:   with(map[string]any{"observedGeneration": float64(4), "severity": ""}),
		conditions.ShapeCrossplane:  with(map[string]any{"observedGeneration": float64(4), "severity": ""}),
	}
	for shape, want := range tests {
		if diff := cmp.Diff(want, shape.Write(c, entry)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", shape, diff)
		}
	}
	if entry["status"] != "True" {
		t.Error("the entry was changed")
	}
}

// FuzzShape: whatever a list holds, reading it in any shape ends, writing it unchanged changes nothing, and what is written of
// a condition reads as the same condition.
func FuzzShape(f *testing.F) {
	f.Add([]byte(`[{"type":"Ready","status":"False","severity":"Warning","reason":"R","message":"m","lastTransitionTime":"2026-01-02T03:04:05Z","observedGeneration":3,"x":[1]}]`))
	f.Add([]byte(`[null,5,{"type":"A"},{"type":"A","status":"Maybe","severity":7,"observedGeneration":1.5,"lastTransitionTime":"soon"},"x"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []any
		if json.Unmarshal(data, &list) != nil {
			return
		}
		for _, shape := range shapes {
			l, _ := shape.Read(list, "status.conditions")
			if diff := cmp.Diff(list, l.WriteAs(l.Conditions, shape)); diff != "" && len(list) > 0 {
				t.Fatalf("%s: unchanged, but written differently (-want +got):\n%s", shape, diff)
			}
			for _, c := range l.Conditions {
				for _, old := range list {
					entry, _ := old.(map[string]any)
					again, errs := shape.Read([]any{shape.Write(c, entry)}, "")
					if len(again.Conditions) != 1 {
						t.Fatalf("%s: %+v cannot be read back: %v", shape, c, errs)
					}
					got := again.Conditions[0]
					if !got.LastTransitionTime.Equal(&c.LastTransitionTime) && got.LastTransitionTime.Unix() != c.LastTransitionTime.Unix() {
						t.Errorf("%s: want time %s, got %s", shape, c.LastTransitionTime, got.LastTransitionTime)
					}
					got.LastTransitionTime = c.LastTransitionTime
					if diff := cmp.Diff(c, got); diff != "" {
						t.Errorf("%s: reads differently (-want +got):\n%s", shape, diff)
					}
				}
			}
		}
	})
}

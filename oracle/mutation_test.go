// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"testing"

	"github.com/tristate/tristate/conditions"
)

// TestMutations shows that the comparison notices a wrong rule, for each operation.
func TestMutations(t *testing.T) {
	tests := map[string]struct {
		operation string
		mutate    func(*conditions.MergeOptions)
	}{
		"Unknown outranks True":                {"summary", func(o *conditions.MergeOptions) { o.Exact = false }},
		"Unknown outranks True in aggregates":  {"aggregate", func(o *conditions.MergeOptions) { o.Exact = false }},
		"counter off":                          {"summary", func(o *conditions.MergeOptions) { o.Counter = false }},
		"counter counts one more":              {"aggregate", func(o *conditions.MergeOptions) { o.Total = 16 }},
		"counter of a list counts the inputs":  {"summary", func(o *conditions.MergeOptions) { o.Total = 0 }},
		"source reference missing":             {"aggregate", func(o *conditions.MergeOptions) { o.SourceRef = false }},
		"source reference to the wrong object": {"summary", func(o *conditions.MergeOptions) { o.Object.Name += "x" }},
		"target negative":                      {"summary", func(o *conditions.MergeOptions) { o.Target.Polarity = conditions.Negative }},
		"native rules":                         {"aggregate", func(o *conditions.MergeOptions) { o.Profile = conditions.ProfileNative }},
		"mirror puts severities right":         {"mirror", func(o *conditions.MergeOptions) { o.Exact = false }},
		"set writes another message":           {"set", func(o *conditions.MergeOptions) { o.Target.Name = "x" }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, op := range CAPIv1beta1 {
				if op.Name != tt.operation {
					continue
				}
				mismatch, _ := compare(op, 20_000, 7, tt.mutate)
				if mismatch == nil {
					t.Error("20000 cases did not notice the wrong rule")
				}
			}
		})
	}
}

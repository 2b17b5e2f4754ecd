// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"testing"

	"github.com/tristate/tristate/conditions"
)

// TestMutations shows that the comparison notices a wrong rule, for each operation.
func TestMutations(t *testing.T) {
	type mutation func(o *conditions.MergeOptions)
	profile := func(p conditions.Dialect) mutation { return func(o *conditions.MergeOptions) { o.Dialect = p } }
	inexact := func(o *conditions.MergeOptions) { o.Exact = false }
	named := func(o *conditions.MergeOptions) { o.Target.Name = "Ready" }
	negative := func(o *conditions.MergeOptions) { o.Target.Polarity = conditions.Negative }
	positive := func(o *conditions.MergeOptions) { o.Target.Polarity = conditions.Positive }
	tests := map[string]map[string]mutation{
		"capi-v1beta1/summary": {
			"Unknown outranks True":                inexact,
			"counter off":                          func(o *conditions.MergeOptions) { o.Counter = false },
			"counter of a list counts the inputs":  func(o *conditions.MergeOptions) { o.Total = 0 },
			"source reference to the wrong object": func(o *conditions.MergeOptions) { o.Object.Name += "x" },
			"target negative":                      negative,
		},
		"capi-v1beta1/aggregate": {
			"Unknown outranks True":    inexact,
			"counter counts one more":  func(o *conditions.MergeOptions) { o.Total = 16 },
			"source reference missing": func(o *conditions.MergeOptions) { o.SourceRef = false },
			"native rules":             profile(conditions.Core),
		},
		"capi-v1beta1/mirror": {"severities put right": inexact},
		"capi-v1beta1/set":    {"another message": named},
		"capi-v1beta1/patch": {
			"generations count": profile(conditions.CAPIv1beta2),
			"one more is owned": named,
		},
		"capi-v1beta2/summary": {
			"cut messages":               inexact,
			"target positive":            positive,
			"missing ones are skipped":   func(o *conditions.MergeOptions) { o.Missing = conditions.MissingSkip },
			"reasons of the target lost": func(o *conditions.MergeOptions) { o.Target.Reasons = nil },
			"native rules":               profile(conditions.Core),
			"rules of v1beta1":           profile(conditions.CAPIv1beta1),
		},
		"capi-v1beta2/aggregate": {
			"order of ties, weights by kind": inexact,
			"target positive":                positive,
			"missing ones are skipped":       func(o *conditions.MergeOptions) { o.Missing = conditions.MissingSkip },
			"native rules":                   profile(conditions.Core),
		},
		"capi-v1beta2/mirror": {
			"time lost":    inexact,
			"native rules": profile(conditions.Core),
		},
		"capi-v1beta2/read": {"another list": named},
		"capi-v1beta2/set":  {"another message": named},
		"capi-v1beta2/patch": {
			"list not sorted":     profile(conditions.Core),
			"generations ignored": profile(conditions.CAPIv1beta1),
			"one more is owned":   named,
		},
		"root/knative": {
			"missing ones are skipped": func(o *conditions.MergeOptions) { o.Missing = conditions.MissingSkip },
			"rules of operatorpkg":     profile(conditions.Operatorpkg),
		},
		"root/operatorpkg": {
			"target negative":  negative,
			"rules of knative": profile(conditions.Knative),
		},
	}
	for _, set := range all {
		for _, op := range set.of {
			name := set.rules + "/" + op.Name
			if len(tests[name]) == 0 {
				t.Errorf("no mutation of %s", name)
			}
			for what, mutate := range tests[name] {
				t.Run(name+"/"+what, func(t *testing.T) {
					if mismatch, _ := compare(op, 20_000, 7, mutate); mismatch == nil {
						t.Error("20000 cases did not notice the wrong rule")
					}
				})
			}
		}
	}
}

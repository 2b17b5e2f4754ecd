// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"testing"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// TestMutations shows that the comparison notices a wrong rule, for each operation.
func TestMutations(t *testing.T) {
	type mutation func(o *rollup.Options)
	profile := func(p conditions.Dialect) mutation { return func(o *rollup.Options) { o.Dialect = p } }
	inexact := func(o *rollup.Options) { o.Exact = false }
	named := func(o *rollup.Options) { o.Target.Name = "Ready" }
	negative := func(o *rollup.Options) { o.Target.Polarity = conditions.Negative }
	tests := map[string]map[string]mutation{
		"capi-v1beta1/summary": {
			"Unknown outranks True":                inexact,
			"counter off":                          func(o *rollup.Options) { o.Counter = false },
			"counter of a list counts the inputs":  func(o *rollup.Options) { o.Total = 0 },
			"source reference to the wrong object": func(o *rollup.Options) { o.Object.Name += "x" },
			"target negative":                      negative,
		},
		"capi-v1beta1/aggregate": {
			"Unknown outranks True":    inexact,
			"counter counts one more":  func(o *rollup.Options) { o.Total = 16 },
			"source reference missing": func(o *rollup.Options) { o.SourceRef = false },
			"native rules":             profile(conditions.DialectCore),
		},
		"capi-v1beta1/mirror": {"severities put right": inexact},
		"capi-v1beta1/set":    {"another message": named},
		"capi-v1beta1/patch":  {"one more is owned": named},
		"capi-v1beta2/read":   {"another list": named},
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

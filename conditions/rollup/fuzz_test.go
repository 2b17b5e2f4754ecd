// SPDX-License-Identifier: Apache-2.0

package rollup_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FuzzAggregate: no inputs make a merge panic, and the order of objects never matters.
func FuzzAggregate(f *testing.F) {
	f.Add([]byte("0012210001122"), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		at := 0
		next := func(n int) int {
			if at++; at > len(data) {
				return 0
			}
			return int(data[at-1]) % n
		}
		texts := []string{"", "it is stuck", "* a\n* b", "x\x00\u2028y", "\xff"}
		var in []rollup.Input
		for range next(12) {
			one := rollup.Input{Object: conditions.ObjectRef{Kind: "Lamp", Namespace: texts[next(2)], Name: string(rune('a' + next(4)))}}
			if next(5) > 0 {
				one.Condition = &conditions.Condition{Condition: metav1.Condition{Type: "Ready", Status: []metav1.ConditionStatus{"True", "False",
					"Unknown", "odd"}[next(4)], Reason: []string{"", "Broken", "no reason"}[next(3)], Message: texts[next(5)]}}
			}
			in = append(in, one)
		}
		options := rollup.Options{Target: conditions.Type{Name: "LampsReady"}}
		want, wantOK := rollup.Aggregate(in, options)
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		got, ok := rollup.Aggregate(in, options)
		if diff := cmp.Diff(want.Condition, got.Condition); diff != "" || ok != wantOK {
			t.Errorf("the order of objects matters: %t %t -want +got\n%s", wantOK, ok, diff)
		}
		rollup.Summarize(in, options)
		for i := range in {
			rollup.Mirror(in[i], options)
		}
	})
}

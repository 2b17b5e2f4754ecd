// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func one[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// The keys of a fleet bring it into the order of the comparison that they stand for, whatever its texts have in common.
func TestSortFleet(t *testing.T) {
	texts := []string{"", "a", "a\x00", "ab", "abc", "failure 1", "failure 10", "failure 2", "é", "\xff", strings.Repeat("long ", 20),
		strings.Repeat("long ", 20) + "x"}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		prefix := one(r, "", "the same for all: ", "x")
		in := make([]Input, 1+r.IntN(300))
		for i := range in {
			c := metav1.Condition{Type: one(r, "A", "B"), Status: one(r, metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown),
				Reason: one(r, "Crash", "Crashed", "Lost"), Message: prefix + texts[r.IntN(len(texts))]}
			in[i] = Input{Object: Object{Kind: one(r, "Pod", "Node"), Name: fmt.Sprint("o", r.IntN(20))}, Type: c.Type, Condition: &c,
				Severity: one(r, "", "Error", "Warning", "Info"), Stale: r.IntN(10) == 0}
			if r.IntN(20) == 0 {
				in[i].Condition = nil
			}
		}
		var m Merger
		m.Start(&Rules{}, &Options{Exact: true}, &Target{}, true, true)
		for i := range in {
			m.Offer(&in[i])
		}
		if len(m.items) == 0 {
			continue
		}
		want := slices.SortedFunc(slices.Values(m.items), byAggregateOrder)
		m.sortFleet()
		if !slices.EqualFunc(want, m.items, func(a, b *Item) bool { return byAggregateOrder(a, b) == 0 }) {
			t.Fatalf("seed %d: the fleet is not in order", seed)
		}
	}
}

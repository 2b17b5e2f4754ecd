// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	upstream "sigs.k8s.io/cluster-api/util/conditions"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// TestSameNames: objects of one kind that share a name, as those of two namespaces do, have upstream choose between several
// answers at random. Ours is one of them, and always the same.
func TestSameNames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	several := 0
	for range 100 {
		var objects []*objectV2
		var inputs []rollup.Input
		for range 2 + r.IntN(4) {
			c := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Message: []string{"a", "b", "c", "d"}[r.IntN(4)]}
			objects = append(objects, &objectV2{
				TypeMeta: metav1.TypeMeta{Kind: "Machine"}, ObjectMeta: metav1.ObjectMeta{Name: "m"}, list: []metav1.Condition{c},
			})
			inputs = append(inputs, rollup.Input{Type: "Ready", Object: conditions.ObjectRef{Kind: "Machine", Name: "m"}, Condition: oursV2(c)})
		}
		ours := map[string]bool{}
		theirs := map[string]bool{}
		for range 200 {
			c, err := upstream.NewAggregateCondition(objects, "Ready")
			if err != nil {
				t.Fatal(err)
			}
			theirs[c.Message] = true
			o := rollup.Options{Dialect: conditions.DialectCAPIv1beta2, Exact: true, Target: conditions.Type{Name: "Ready"}}
			m, _ := rollup.Aggregate(inputs, o)
			ours[m.Condition.Message] = true
		}
		if len(ours) != 1 {
			t.Errorf("ours gives %d answers to one question", len(ours))
		}
		for text := range ours {
			if !theirs[text] {
				t.Errorf("ours gives %q, which is none of upstream's %v", text, theirs)
			}
		}
		if len(theirs) > 1 {
			several++
		}
	}
	t.Logf("upstream had several answers to %d of 100 questions", several)
	if several == 0 {
		t.Error("upstream had one answer to every question: this test shows nothing any more")
	}
}

// TestMarkingOrder: the top-level condition of Knative depends on the order of the calls. Ours is that of one order (Roots);
// this one counts how often another order comes to something else.
func TestMarkingOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	buf := make([]byte, 64)
	differ, compared := 0, 0
	for range 5_000 {
		c := runKnative(NewSource(Random(r, buf)), nil, false)
		if c.Case == nil {
			continue
		}
		compared++
		if !c.Equal() {
			differ++
		}
	}
	t.Logf("another order came to another result in %d of %d cases", differ, compared)
	if differ == 0 {
		t.Error("the order of the calls does not matter any more: compare without sorting them")
	}
}

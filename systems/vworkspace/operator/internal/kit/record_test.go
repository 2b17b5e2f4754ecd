// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func list(cells ...string) (stored []metav1.Condition, next []conditions.Condition) {
	for _, cell := range cells {
		f := strings.Fields(cell)
		c := metav1.Condition{Type: f[0], Status: metav1.ConditionStatus(f[1]), Reason: f[2]}
		if len(f) > 3 {
			c.Message = f[3]
		}
		stored, next = append(stored, c), append(next, conditions.Condition{Condition: c})
	}
	return stored, next
}

func show(transitions []transition.Transition) (out []string) {
	for _, t := range transitions {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", t.Sequence, t.Type, t.Status, t.Reason)))
	}
	return out
}

func TestRecord(t *testing.T) {
	stored := []transition.Transition{{Sequence: 4, Type: "A", Status: "True", Reason: "Good"}}
	tests := map[string]struct {
		before, after []string
		want          []string
	}{
		"nothing":              {[]string{"A True Good"}, []string{"A True Good"}, []string{"4 A True Good"}},
		"only the message":     {[]string{"A True Good one"}, []string{"A True Good two"}, []string{"4 A True Good"}},
		"a status":             {[]string{"A True Good"}, []string{"A False Bad"}, []string{"4 A True Good", "5 A False Bad"}},
		"a reason":             {[]string{"A False Bad"}, []string{"A False Worse"}, []string{"4 A True Good", "5 A False Worse"}},
		"one comes, one goes":  {[]string{"A True Good"}, []string{"B True Good"}, []string{"4 A True Good", "5 B True Good", "6 A"}},
		"the order of entries": {[]string{"A True Good", "B True Good"}, []string{"B True Good", "A True Good"}, []string{"4 A True Good"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, _ := list(test.before...)
			_, after := list(test.after...)
			if diff := cmp.Diff(test.want, show(record(stored, 0, before, after, 1, time.Unix(0, 0)))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestRecord_restored: the numbers go on after the last one that was taken over, also where the stored record has less.
func TestRecord_restored(t *testing.T) {
	_, after := list("A False Bad")
	for last, stored := range map[int64][]transition.Transition{0: nil, 8: {{Sequence: 8, Type: "A", Status: "True", Reason: "Good"}}} {
		next := record(stored, 13, nil, after, 1, time.Unix(0, 0))
		if n := next[len(next)-1].Sequence; n != 14 {
			t.Errorf("after a record up to %d the number is %d", last, n)
		}
	}
}

// TestRecord_bounded: the record has a bounded length, keeps the newest entries, and never writes into the stored one.
func TestRecord_bounded(t *testing.T) {
	var stored []transition.Transition
	before, _ := list()
	for i := range 100 {
		kept := append([]transition.Transition{}, stored...)
		_, after := list("A True R" + fmt.Sprint(i))
		next := record(stored, 0, before, after, 1, time.Unix(int64(i), 0))
		if diff := cmp.Diff(kept, append([]transition.Transition{}, stored...)); diff != "" {
			t.Fatalf("the stored record was changed: -want +got\n%s", diff)
		}
		stored = next
		before, _ = list("A True R" + fmt.Sprint(i))
	}
	if len(stored) != recordLength || stored[recordLength-1].Sequence != 100 || stored[0].Sequence != 100-recordLength+1 {
		t.Errorf("%v", show(stored))
	}
}

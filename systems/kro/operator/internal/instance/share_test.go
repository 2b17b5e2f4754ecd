// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// TestShares: however many instances a noisy namespace has, each round of the queue leaves workers to the instances of
// others, and each of its own has its pass.
func TestShares(t *testing.T) {
	s := &shares{}
	var queue []types.NamespacedName
	for i := range 100 {
		queue = append(queue, types.NamespacedName{Namespace: "noisy", Name: fmt.Sprint(i)})
	}
	queue = append(queue, types.NamespacedName{Namespace: "quiet", Name: "q"})
	done := map[string]int{}
	for round := 1; len(queue) > 0; round++ {
		running := map[string]int{}
		var later []types.NamespacedName
		for _, instance := range queue {
			may, after := s.begin(instance, 4)
			if !may {
				if after <= 0 || after > turn*maxTurns {
					t.Errorf("it is looked at again after %s", after)
				}
				later = append(later, instance)
				continue
			}
			running[instance.Namespace]++
			done[instance.Namespace]++
		}
		if running["noisy"] > 3 {
			t.Errorf("%d of 4 workers have a pass of the noisy namespace", running["noisy"])
		}
		if round == 1 && running["quiet"] != 1 {
			t.Error("the instance of another namespace waits")
		}
		for namespace, n := range running {
			for range n {
				s.end(namespace)
			}
		}
		queue = later
	}
	if done["noisy"] != 100 || done["quiet"] != 1 {
		t.Errorf("passes: %v", done)
	}
	if len(s.running)+len(s.waiting) > 0 {
		t.Errorf("it remembers %v and %v", s.running, s.waiting)
	}
}

// TestBudget: a pass whose expressions have taken their time evaluates no more of them.
func TestBudget(t *testing.T) {
	at := time.Unix(1700000000, 0)
	b := &budget{now: func() time.Time { return at }}
	evaluated := 0
	var err error
	for range 10 {
		err = b.spend(func() error { evaluated++; at = at.Add(2 * time.Second); return nil })
	}
	if evaluated != 3 || err == nil || err.Error() != "the expressions of the instance take longer than 5s together" {
		t.Errorf("%d evaluations of two seconds, and then %v", evaluated, err)
	}
}

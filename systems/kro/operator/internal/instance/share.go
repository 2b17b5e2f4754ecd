// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// shares keeps workers free for other namespaces: the passes of one namespace take at most three quarters of the
// workers at a time. kro's queue has one order for all instances, and the slow passes of one tenant would be in front of it.
type shares struct {
	mu      sync.Mutex
	running map[string]int
	waiting map[string]map[types.NamespacedName]bool
}

// turn is how long an instance waits for each instance of its namespace that waits, too; turns are at most maxTurns.
const (
	turn     = 100 * time.Millisecond
	maxTurns = 50
)

// begin reports whether a pass may run now, and otherwise after which time the instance is to be looked at again.
func (s *shares) begin(instance types.NamespacedName, workers int) (may bool, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running, s.waiting = map[string]int{}, map[string]map[types.NamespacedName]bool{}
	}
	of := instance.Namespace
	if s.running[of] < max(workers*3/4, 1) {
		s.running[of]++
		delete(s.waiting[of], instance)
		return true, 0
	}
	if s.waiting[of] == nil {
		s.waiting[of] = map[types.NamespacedName]bool{}
	}
	s.waiting[of][instance] = true
	return false, turn * time.Duration(min(len(s.waiting[of]), maxTurns))
}

// end ends a pass of a namespace.
func (s *shares) end(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[namespace]--; s.running[namespace] == 0 {
		delete(s.running, namespace)
		if len(s.waiting[namespace]) == 0 {
			delete(s.waiting, namespace)
		}
	}
}

// EvaluationBudget is how long the expressions of one instance may be evaluated in one pass, together. Each has a limit
// of its own, definition.EvaluationLimit.
const EvaluationBudget = 5 * time.Second

// budget counts the time that a pass has spent on expressions.
type budget struct {
	now   func() time.Time
	spent time.Duration
}

// spend calls a function that evaluates expressions, unless the budget is spent.
func (b *budget) spend(evaluate func() error) error {
	if b.spent > EvaluationBudget {
		return fmt.Errorf("the expressions of the instance take longer than %s together", EvaluationBudget)
	}
	began := b.now()
	err := evaluate()
	b.spent += b.now().Sub(began)
	return err
}

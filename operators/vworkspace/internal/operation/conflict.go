// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"fmt"
	"slices"
	"sync"

	api "github.com/tristate/tristate/operators/vworkspace/api/ops/v1alpha1"
	"github.com/tristate/tristate/operators/vworkspace/internal/engine"
	"k8s.io/apimachinery/pkg/types"
)

// conflicts are the pairs of types that must not run at a time on one target, in either order. A Migration is like an Upgrade.
var conflicts = [][2]string{
	{engine.Upgrade, engine.Upgrade}, {engine.Restore, engine.Upgrade}, {engine.Restore, engine.Backup},
	{engine.Migration, engine.Upgrade}, {engine.Migration, engine.Migration}, {engine.Restore, engine.Migration},
}

func conflict(a, b string) bool {
	return slices.ContainsFunc(conflicts, func(p [2]string) bool { return p == [2]string{a, b} || p == [2]string{b, a} })
}

// older orders operations: by creation, then by name. It is total, so that waiting for older ones cannot go round in a circle.
func older(a, b *api.Operation) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}

// inTheWay returns the operation that o has to wait for: one that conflicts and has started, or is older and blocked by nothing but other operations.
func inTheWay(o *api.Operation, others []api.Operation, elsewhere map[types.UID]bool, started func(*api.Operation) bool) *api.Operation {
	for i := range others {
		other := &others[i]
		if other.UID == o.UID || terminal(other) || !conflict(o.Spec.Type, other.Spec.Type) {
			continue
		}
		if started(other) || older(other, o) && !elsewhere[other.UID] {
			return other
		}
	}
	return nil
}

// superseded returns the newer operation that replaces one that has not started: a Backup by the same engine of the same target.
func superseded(o *api.Operation, others []api.Operation) *api.Operation {
	if o.Spec.Type != engine.Backup {
		return nil
	}
	for i := range others {
		other := &others[i]
		if other.UID != o.UID && older(o, other) && other.Spec.Type == o.Spec.Type && other.Spec.Engine == o.Spec.Engine && other.DeletionTimestamp.IsZero() {
			return other
		}
	}
	return nil
}

// reservations are the operations that were allowed to start and whose status the cache may not have yet.
type reservations struct {
	mu sync.Mutex
	of map[types.UID]bool
}

// start calls free, which decides whether an operation is in nobody's way, and reserves the start in the same step.
func (r *reservations) start(o *api.Operation, free func(started func(*api.Operation) bool) string) (conflict string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[types.UID]bool{}
	}
	conflict = free(func(other *api.Operation) bool { return other.Status.StartedAt != nil || r.of[other.UID] })
	if conflict == "" {
		r.of[o.UID] = true
	}
	return conflict
}

func (r *reservations) release(uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, uid)
}

func describe(o *api.Operation) string {
	return fmt.Sprintf("%s %s", o.Spec.Type, o.Name)
}

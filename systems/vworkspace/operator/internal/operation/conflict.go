// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"slices"
	"sync"

	api "github.com/tristate/tristate/systems/vworkspace/operator/api/ops/v1alpha1"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/engine"
	"k8s.io/apimachinery/pkg/types"
)

// concurrent are the pairs of types that may run at a time on one target, in either order; "*" is every type. The document lets none:
// "Another operation on the same target is in flight". A catalog policy may.
type concurrent [][2]string

// conflict reports whether two operations on one target exclude each other.
func (c concurrent) conflict(a, b string) bool {
	is := func(pattern, kind string) bool { return pattern == "*" || pattern == kind }
	return !slices.ContainsFunc(c, func(p [2]string) bool { return is(p[0], a) && is(p[1], b) || is(p[0], b) && is(p[1], a) })
}

// older orders operations: by creation, then by name. It is total, so that waiting for older ones cannot go round in a circle.
func older(a, b *api.Operation) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.Name < b.Name
}

// inTheWay returns the operation that o has to wait for: one that conflicts and has started, or is older and blocked by nothing but other
// operations.
func inTheWay(o *api.Operation, others []api.Operation, allowed concurrent, elsewhere map[types.UID]bool,
	started func(*api.Operation) bool) *api.Operation {
	for i := range others {
		other := &others[i]
		if other.UID == o.UID || terminal(other) || !allowed.conflict(o.Spec.Type, other.Spec.Type) {
			continue
		}
		if started(other) || older(other, o) && !elsewhere[other.UID] {
			return other
		}
	}
	return nil
}

// superseded returns the newer operation that replaces one that has not started: a valid Backup by the same engine of the same target.
func superseded(o *api.Operation, others []api.Operation) *api.Operation {
	if o.Spec.Type != engine.Backup {
		return nil
	}
	for i := range others {
		other := &others[i]
		if other.UID != o.UID && older(o, other) && other.Spec.Type == o.Spec.Type && other.Spec.Engine == o.Spec.Engine &&
			other.DeletionTimestamp.IsZero() && len(engine.Problems(other)) == 0 {
			return other
		}
	}
	return nil
}

// reservations are the operations that were allowed to start and whose status the cache may not have yet, with the uid of the object that
// was created for each; empty: none yet.
type reservations struct {
	mu sync.Mutex
	of map[types.UID]types.UID
}

// start calls free, which decides whether an operation conflicts with no other, and reserves the start in the same step.
func (r *reservations) start(o *api.Operation, free func(started func(*api.Operation) bool) string) (conflict string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	conflict = free(func(other *api.Operation) bool {
		_, reserved := r.of[other.UID]
		return other.Status.StartedAt != nil || reserved
	})
	if conflict == "" {
		r.set(o.UID, r.of[o.UID])
	}
	return conflict
}

func (r *reservations) set(of, object types.UID) {
	if r.of == nil {
		r.of = map[types.UID]types.UID{}
	}
	r.of[of] = object
}

// created remembers the uid of the object that was created for an operation until its status has it.
func (r *reservations) created(o *api.Operation, object types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set(o.UID, object)
}

// made returns the uid of the object that was created for an operation; empty: none is known.
func (r *reservations) made(o *api.Operation) types.UID {
	if ref := o.Status.EngineRef; ref != nil && ref.UID != "" {
		return types.UID(ref.UID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[o.UID]
}

func (r *reservations) release(uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, uid)
}

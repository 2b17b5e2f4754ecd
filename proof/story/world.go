// SPDX-License-Identifier: Apache-2.0

package story

import (
	"context"
	"errors"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// ErrNotFound is wrapped by a world where an object does not exist.
var ErrNotFound = errors.New("not found")

// World is an API server at which Tristate runs, for a story. Objects are decoded JSON; those that a world
// returns are read-only, and it copies its arguments. The namespace of an id is ignored for cluster-scoped kinds.
type World interface {
	// Catalogs returns the catalogs that Tristate works with.
	Catalogs() *catalog.Set
	// Virtual reports whether only Sleep moves the clock and only the story uses the world: then writes are counted
	// exactly.
	Virtual() bool
	Now() time.Time

	// Apply creates the object, or replaces everything but its status. Owner references without uid are completed.
	Apply(ctx context.Context, object map[string]any) error
	// Delete deletes gracefully: an object with finalizers stays until the last one is removed; the objects it owned are deleted with it.
	Delete(ctx context.Context, id relation.ID) error
	// Patch and PatchStatus are JSON merge patches of an object without, and of, its status.
	Patch(ctx context.Context, id relation.ID, patch map[string]any) error
	PatchStatus(ctx context.Context, id relation.ID, patch map[string]any) error
	// Report writes a condition as another manager than Tristate; the time moves when the status does. Retract removes one.
	Report(ctx context.Context, id relation.ID, c conditions.Condition) error
	Retract(ctx context.Context, id relation.ID, conditionType string) error
	// Get returns an object; ErrNotFound without one. List returns all, by group, kind, namespace and name.
	Get(ctx context.Context, id relation.ID) (map[string]any, error)
	List(ctx context.Context) ([]map[string]any, error)

	// Settle waits until every derived condition is current and every object without an owner is collected. It returns
	// all objects, as List does, as they were at that time. Recheck judges every object once more, and settles.
	Settle(ctx context.Context) ([]map[string]any, error)
	Recheck(ctx context.Context) error
	// Sleep moves the clock and judges the objects that are due. In a world with a clock of its own it does nothing.
	Sleep(ctx context.Context, d time.Duration) error
	// Writes returns the number of writes of Tristate.
	Writes() int
}

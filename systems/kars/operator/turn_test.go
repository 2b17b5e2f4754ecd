// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"testing"

	"github.com/tristate/tristate/proof/world"
)

// TestInTurn runs tests that need no cluster of their own on one, as the start of a control plane costs more than any of them. The one that
// edits definitions is last: the API server ends the watches of their objects, and may no longer know where the recorder goes on.
func TestInTurn(t *testing.T) {
	t.Parallel()
	w := base(t)
	world.InTurn(t, world.Part{Name: "processes", Run: func(t *testing.T) { processes(t, w) }},
		world.Part{Name: "only rows", Run: func(t *testing.T) { onlyRows(t, w) }},
		world.Part{Name: "stored before rules", Run: func(t *testing.T) { storedBeforeRules(t, w) }})
}

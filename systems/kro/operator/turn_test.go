// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"testing"

	"github.com/tristate/tristate/proof/world"
)

// TestInTurn runs tests that need no cluster of their own on one, as the start of a control plane costs more than any of them. Each starts
// and ends its program.
func TestInTurn(t *testing.T) {
	t.Parallel()
	s := start(t, "tristate", 1, nil)
	part := func(name string, run func(*testing.T, *side)) world.Part {
		return world.Part{Name: name, Run: func(t *testing.T) { run(t, s) }}
	}
	world.InTurn(t, part("migration", migration), part("permissions", permissions), part("readiness", readiness),
		part("flags of kro", flagsOfKro), part("two replicas", twoReplicas))
}

// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"testing"

	"github.com/tristate/tristate/proof/world"
)

// TestInTurn runs tests that need no cluster of their own on one, as the start of a control plane costs more than any of them. webhook is
// last, because it moves the clock by a day.
func TestInTurn(t *testing.T) {
	t.Parallel()
	w := base(t)
	world.InTurn(t, w.part("refused", refused), w.part("held", held), w.part("approval", approvals), w.part("processes", processes),
		w.part("webhook", webhooked))
}

// part is a part of a test in a world.
func (w *vworkspace) part(name string, run func(*testing.T, *vworkspace)) world.Part {
	return world.Part{Name: name, Run: func(t *testing.T) { run(t, w) }}
}

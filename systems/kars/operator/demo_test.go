// SPDX-License-Identifier: Apache-2.0

package kars_test

import (
	"testing"

	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/kars/operator/internal/demo"
)

// TestDemo plays the story, and compares it with the excerpt on the page.
func TestDemo(t *testing.T) {
	t.Parallel()
	world.Play(t, demo.Demo, "../README.md")
}

// TestFirst applies the first objects of the page, and all of them become Current.
func TestFirst(t *testing.T) {
	t.Parallel()
	world.First(t, demo.Demo)
}

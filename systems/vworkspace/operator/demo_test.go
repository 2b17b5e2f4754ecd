// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/world"
	"github.com/tristate/tristate/systems/vworkspace/operator/internal/demo"
)

// TestDemo plays the story, compares it with the excerpt on the page, and finds no claim and no token in it.
func TestDemo(t *testing.T) {
	t.Parallel()
	out := world.Play(t, demo.Demo, page)
	for _, secret := range []string{"eyJhbGci", "registration-token", "PRIVATE KEY"} {
		if strings.Contains(out, secret) {
			t.Errorf("%s is printed:\n%s", secret, out)
		}
	}
}

// TestFirst applies the first objects of the page, and all of them become Current.
func TestFirst(t *testing.T) {
	t.Parallel()
	world.First(t, demo.Demo)
}

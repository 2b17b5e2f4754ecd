// SPDX-License-Identifier: Apache-2.0

package kro_test

import (
	"testing"
	"time"

	"github.com/tristate/tristate/operators/kro/internal/migrate"
)

// TestInstalled: what concerns whoever installs the operator, one program after the other on one cluster.
func TestInstalled(t *testing.T) {
	t.Parallel()
	s := start(t, "tristate", 1, nil)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *side)
	}{{"migration", migration}, {"permissions", permissions}, {"readiness", readiness}, {"flags of kro", flagsOfKro},
		{"two replicas", twoReplicas}} {
		if !t.Run(part.name, func(t *testing.T) { part.run(t, s) }) {
			t.FailNow() // the next one begins where this one ends
		}
		if part.name == "migration" { // it ends with kro's definition
			if _, err := migrate.Run(t.Context(), s.API, crdIn(t, definitionFile), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

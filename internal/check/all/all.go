// SPDX-License-Identifier: Apache-2.0

// Package all joins the checks of every family, in the order in which they are listed. Registry has every id there ever was; a test holds
// it.
package all

import (
	"slices"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/catalogcheck"
	"github.com/tristate/tristate/internal/check/codecheck"
	"github.com/tristate/tristate/internal/check/compatcheck"
	"github.com/tristate/tristate/internal/check/crdcheck"
	"github.com/tristate/tristate/internal/check/docscheck"
	"github.com/tristate/tristate/internal/check/exportcheck"
	"github.com/tristate/tristate/internal/check/graphcheck"
	"github.com/tristate/tristate/internal/check/historycheck"
	"github.com/tristate/tristate/internal/check/livecheck"
	"github.com/tristate/tristate/internal/check/runcheck"
)

// Checks are all checks.
var Checks = slices.Concat(
	catalogcheck.All,
	crdcheck.All,
	livecheck.All,
	historycheck.All,
	graphcheck.All,
	docscheck.All,
	codecheck.All,
	compatcheck.All,
	exportcheck.All,
	runcheck.All,
)

// Find returns the check with an id; nil without one.
func Find(id string) *check.Check {
	for _, c := range Checks {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
)

// scan adds what the code below folders says. The packages that do it come with the family code.
func (a *App) scan(e *evidence.Evidence, folders []string) error { return nil }

func (a *App) listChecks(checks []*check.Check) error {
	width := 0
	for _, c := range checks {
		width = max(width, len(c.ID))
	}
	for _, c := range checks {
		if _, err := fmt.Fprintf(a.Out, "%-*s  %-7s  %s\n", width, c.ID, c.Level, c.Title); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) explainCheck(id string) error {
	c := all.Find(id)
	if c == nil {
		return usagef("there is no check %q", id)
	}
	_, err := a.Out.Write(report.Page(c))
	return err
}

// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"os"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
	"github.com/tristate/tristate/internal/source/goscan"
	"github.com/tristate/tristate/internal/source/textscan"
)

// scan adds the conditions that code below folders writes: Go modules with types, other languages as text.
func scan(ctx context.Context, e *evidence.Evidence, folders []string) error {
	for _, dir := range folders {
		if _, err := os.Stat(dir); err != nil {
			return exit.With(exit.NotFound, err)
		}
		if goscan.IsModule(dir) {
			scan, err := goscan.Scan(ctx, dir, goscan.Options{})
			if err != nil {
				return err
			}
			e.Source = append(e.Source, scan)
		}
		text, err := textscan.Scan(dir)
		if err != nil {
			return err
		}
		e.Source = append(e.Source, text...)
	}
	for _, scan := range e.Source {
		for _, fault := range scan.Faults {
			e.Unreadable = append(e.Unreadable, evidence.Fault{Position: catalog.Position{File: scan.Root}, Message: fault})
		}
		e.Snippets(scan)
	}
	return nil
}

func listChecks(a *app.App, checks []*check.Check) error {
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

func explainCheck(a *app.App, id string) error {
	c := all.Find(id)
	if c == nil {
		return exit.Usagef("there is no check %q", id)
	}
	_, err := a.Out.Write(report.Page(c))
	return err
}

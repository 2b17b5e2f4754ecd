// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"fmt"
	"os"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/all"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
)

// scan adds the conditions that code below folders writes. Code that cannot be read is an error, and a folder without any is an input that
// holds nothing.
func scan(ctx context.Context, a *app.App, e *evidence.Evidence, folders []string) error {
	for _, dir := range folders {
		info, err := os.Stat(dir)
		if err != nil {
			return exit.With(exit.NotFound, err)
		}
		if !info.IsDir() {
			return exit.Usagef("--source %s is not a folder", dir)
		}
		found, err := a.Scan(ctx, dir)
		if err != nil {
			return err
		}
		e.Scanned(dir, found...)
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

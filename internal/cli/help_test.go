// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/cli"
)

// TestHelp: every command says in short what it does, and no flag has an empty default.
func TestHelp(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.HasParent() && c.Short == "" {
			t.Errorf("%s has no short help", c.CommandPath())
		}
		for line := range strings.Lines(c.UsageString()) {
			if strings.Contains(line, "(default )") {
				t.Errorf("%s: %s", c.CommandPath(), strings.TrimSpace(line))
			}
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&cli.App{Name: "tristate"}).Command())
}

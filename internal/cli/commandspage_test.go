// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli"
)

const commandsPage = "../../docs/commands.md"

// TestCommandsPage: docs/commands.md has every command with its flags, as the help prints them. With -update it is written again.
func TestCommandsPage(t *testing.T) {
	root := (&cli.App{Name: "tristate"}).Command()
	byName := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		byName[c.Name()] = c
	}
	// The flags of a connection are those that these have in common, with one text.
	connection := pflag.NewFlagSet("", pflag.ContinueOnError)
	byName["wait"].Flags().VisitAll(func(f *pflag.Flag) {
		for _, other := range []string{"tree", "run", "release", "compare"} {
			if g := byName[other].Flags().Lookup(f.Name); g == nil || g.Usage != f.Usage {
				return
			}
		}
		if f.Name != "help" {
			connection.AddFlag(f)
		}
	})
	var b strings.Builder
	b.WriteString("# Commands\n\nEvery command with its flags, written from the program by a test. `tristate COMMAND --help` prints the same. [Exit codes](exit-codes.md) are the same\nfor all of them. As `kubectl-tristate` on the PATH the program is `kubectl tristate`.\n")
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		if !c.IsAvailableCommand() {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n", c.CommandPath())
		if text := description(c); strings.Contains(text, "\n  ") { // it has a table
			fmt.Fprintf(&b, "%s.\n\n```text\n%s\n\n%s\n", c.Short, text, c.UseLine())
		} else {
			fmt.Fprintf(&b, "%s\n\n```text\n%s\n", text, c.UseLine())
		}
		if c.HasExample() {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(c.Example, "\n"))
		}
		own, connected := pflag.NewFlagSet("", pflag.ContinueOnError), false
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			g := connection.Lookup(f.Name)
			switch {
			case g != nil && g.Usage == f.Usage:
				connected = true
			case f.Name != "help":
				own.AddFlag(f)
			}
		})
		if own.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s", own.FlagUsages())
		}
		b.WriteString("```\n")
		if connected {
			b.WriteString("\nAnd the [flags of a connection](#flags-of-a-connection).\n")
		}
		for _, below := range c.Commands() {
			write(below)
		}
	}
	for _, c := range root.Commands() {
		write(c)
	}
	fmt.Fprintf(&b, "\n## Flags of a connection\n\nThey mean what they mean in kubectl.\n\n```text\n%s```\n", connection.FlagUsages())
	var page strings.Builder
	for line := range strings.Lines(b.String()) {
		page.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if *update {
		if err := os.WriteFile(commandsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(commandsPage)
	if err != nil || string(have) != page.String() {
		t.Errorf("docs/commands.md is not what the commands say (%v); write it again with -update", err)
	}
}

// description returns the long help of a command, or the short one as a sentence.
func description(c *cobra.Command) string {
	if c.Long != "" {
		return strings.ReplaceAll(strings.TrimSpace(c.Long), "<!--", "&lt;!--") // no region of a page
	}
	return c.Short + "."
}

// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// Some refuses a command line without arguments; missing is the message.
func Some(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return exit.Usagef("%s", missing)
		}
		return nil
	}
}

// KnownCommand refuses arguments that are no command, and suggests the nearest one.
func KnownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := ""
	if near := catalog.Nearest(args[0], names); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return exit.Usagef("unknown command %q for %q%s", args[0], c.CommandPath(), hint)
}

// replaced has, by command and flag, what to use in place of a flag that repeated another.
var replaced = map[string]string{
	"go --file":               "the path as an argument",
	"rust --file":             "the path as an argument",
	"status --problems-first": "--sort problems",
	"wait --any":              "--count 1",
	"wait --manifests":        "--filename",
}

// Known makes the error of a flag one of usage, and for one that is unknown names its replacement, or else the nearest flag.
func Known(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return exit.With(exit.Usage, err)
	}
	if use := replaced[c.Name()+" --"+name]; use != "" {
		return exit.Usagef("%w; use %s", err, use)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := catalog.Nearest(name, names); near != "" {
		return exit.Usagef("%w; did you mean --%s?", err, near)
	}
	return exit.With(exit.Usage, err)
}

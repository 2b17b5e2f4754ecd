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

// Known makes the error of a flag one of usage, and suggests the nearest flag for one that is unknown.
func Known(c *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return exit.With(exit.Usage, err)
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

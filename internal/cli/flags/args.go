// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/cli/exit"
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

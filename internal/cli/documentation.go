// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/explain"
	"github.com/tristate/tristate/internal/scaffold"
)

// documentation are the commands that start a catalog and document the format.
func (a *App) documentation() []*cobra.Command {
	flags := &catalogFlags{}
	c := explain.Command(a.Out, flags.load)
	flags.add(c.Flags())
	commands := []*cobra.Command{scaffold.Command(a.Out), c, explain.SchemaCommand(a.Out)}
	for _, c := range commands {
		run := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := run(c, args); err != nil {
				return &exit{ExitUsage, err} // nothing but the arguments can be wrong
			}
			return nil
		}
	}
	return commands
}

// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/read/pack/importer"
)

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	c := &cobra.Command{Use: "import", Short: "Make catalogs of the rules of other tools", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	for _, tool := range importer.All {
		c.AddCommand(&cobra.Command{
			Use:   tool.Name + " FILE ...",
			Short: "Import " + tool.Reads,
			Long: "Read " + tool.Reads + " and print a catalog for each kind that has rules. Rules that cannot be imported are reported on " +
				"standard error, " +
				"with exit code 1; the rest is printed. - is standard input.",
			Example: "  tristate import " + tool.Name + " config.yaml > catalogs/imported.yaml",
			Args:    flags.Some("import: name the files"),
			RunE:    func(_ *cobra.Command, args []string) error { return run(a, tool, args) },
		})
	}
	return c
}

func run(a *app.App, tool importer.Tool, files []string) error {
	found := false
	for _, file := range files {
		data, err := a.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return exit.With(exit.NotFound, err)
		} else if err != nil {
			return err
		}
		documents, issues, err := tool.Import(file, data)
		if err != nil {
			return err
		}
		if len(documents)+len(issues) == 0 {
			return exit.With(exit.NotFound, fmt.Errorf("%s: there are no %s", file, tool.Reads))
		}
		for i := range documents {
			text, err := documents[i].YAML()
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(a.Out, "---\n%s", text); err != nil {
				return err
			}
		}
		for _, issue := range issues {
			fmt.Fprintf(a.Err, "%s\n", issue)
			found = true
		}
	}
	if found {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

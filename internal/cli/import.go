// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/pack/importer"
)

func (a *App) importer() *cobra.Command {
	c := &cobra.Command{Use: "import", Short: "Make catalogs of the rules of other tools", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	for _, tool := range importer.All {
		c.AddCommand(&cobra.Command{
			Use:   tool.Name + " FILE ...",
			Short: "Import " + tool.Reads,
			Long: "Read " + tool.Reads + " and print a catalog for each kind that has rules. Rules that cannot be imported are reported on standard error, " +
				"with exit code 1; the rest is printed. - is standard input.",
			Example: "  tristate import " + tool.Name + " config.yaml > catalogs/imported.yaml",
			Args:    some("import: name the files"),
			RunE:    func(_ *cobra.Command, args []string) error { return a.runImport(tool, args) },
		})
	}
	return c
}

func (a *App) runImport(tool importer.Tool, files []string) error {
	found := false
	for _, file := range files {
		data, err := a.readFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return &exit{ExitNotFound, err}
		} else if err != nil {
			return err
		}
		documents, issues, err := tool.Import(file, data)
		if err != nil {
			return err
		}
		if len(documents)+len(issues) == 0 {
			return &exit{ExitNotFound, fmt.Errorf("%s: there are no %s", file, tool.Reads)}
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
		return &exit{ExitFindings, nil}
	}
	return nil
}

// readFile reads a file, or standard input as "-".
func (a *App) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.In)
	}
	return os.ReadFile(name)
}

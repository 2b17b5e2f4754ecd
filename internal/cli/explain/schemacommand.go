// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// SchemaCommand returns the command that prints the JSON Schema of the catalog format.
func SchemaCommand(out io.Writer) *cobra.Command {
	file := ""
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of catalogs, for editors",
		Long: "Print the JSON Schema (draft 2020-12) of the catalog format. With --write it goes to a file, and the line is printed that makes " +
			"editors with a YAML " +
			"language server (VS Code, Neovim, JetBrains, Helix) check a catalog against it and complete its fields: the first line of each " +
			"catalog.",
		Example: "  tristate schema --write catalog.schema.json\n  tristate schema | jq '.\"$defs\" | keys'",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return WriteSchema(out, file) },
	}
	c.Flags().StringVar(&file, "write", "", "write the schema to a file and print the line for editors")
	return c
}

// EditorLine returns the first line of a catalog that refers editors to a schema.
func EditorLine(schema string) string { return "# yaml-language-server: $schema=" + schema }

// WriteSchema writes the schema to a file and the line for editors to out; without a file, the schema to out.
func WriteSchema(out io.Writer, file string) error {
	if file == "" {
		_, err := out.Write(catalog.SchemaJSON)
		return err
	}
	if err := os.WriteFile(file, catalog.SchemaJSON, 0o644); err != nil {
		return fmt.Errorf("write the schema: %w", err)
	}
	_, err := fmt.Fprintln(out, EditorLine(filepath.ToSlash(file)))
	return err
}

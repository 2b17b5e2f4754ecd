// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/docs"
)

// options are those of docs.
type options struct {
	flags.Catalogs
	output, title string
	check, page   bool
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "docs [FILE.md ...]",
		Short: "Write the reference of conditions from catalogs",
		Long: "Without a file, print a page about the kinds of --catalogs. With files, rewrite the regions between <!-- tristate:begin KIND " +
			"--> and " +
			"<!-- tristate:end -->, or with --page the whole file. With --check nothing is written: a file that differs from its catalogs is a " +
			"finding.",
		Example: "  tristate docs --catalogs catalogs/ > conditions.md\n  tristate docs --catalogs catalogs/ docs/conditions.md\n  tristate " +
			"docs --catalogs catalogs/ --check docs/conditions.md\n" +
			"  tristate docs --catalogs catalogs/ -o json",
		RunE: func(_ *cobra.Command, args []string) error { return run(a, o, args) },
	}
	c.Flags().StringSliceVar(&o.Paths, "catalogs", nil, "files or directories with the catalogs (default: those that come with the command)")
	c.Flags().StringVarP(&o.output, "output", "o", "markdown", "output without a file: markdown, json")
	c.Flags().StringVar(&o.title, "title", "Conditions", "title of a whole page")
	c.Flags().BoolVar(&o.check, "check", false, "report files that differ instead of writing them")
	c.Flags().BoolVar(&o.page, "page", false, "each file is a whole page")
	return c
}

func run(a *app.App, o *options, files []string) error {
	if o.output != "markdown" && o.output != "json" {
		return exit.Usagef("-o %q: use one of markdown, json", o.output)
	}
	if o.check && len(files) == 0 {
		return exit.Usagef("docs --check needs the files to check")
	}
	o.NoEmbedded = len(o.Paths) > 0
	set, err := o.Load()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return printDocs(a, o, set.Kinds())
	}
	differ := 0
	for _, file := range files {
		have, err := os.ReadFile(file)
		if err != nil && !(os.IsNotExist(err) && o.page && !o.check) {
			return exit.With(exit.NotFound, err)
		}
		want := docs.Page(o.title, set.Kinds())
		if !o.page {
			if want, err = docs.Update(file, string(have), set.Kinds()); err != nil {
				return err
			}
		}
		switch line, has, wants := docs.Difference(string(have), want); {
		case line == 0:
		case o.check:
			differ++
			fmt.Fprintf(a.Out, "%s:%d: error: differs from the catalogs  [docs/table-drift]\n   is: %s\n want: %s\n  fix: run tristate docs %s\n",
				file, line, has, wants, file)
		default:
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				return err
			}
		}
	}
	if differ > 0 {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

func printDocs(a *app.App, o *options, kinds []*catalog.Kind) error {
	if o.output == "markdown" {
		_, err := fmt.Fprint(a.Out, docs.Page(o.title, kinds))
		return err
	}
	items := []catalog.Document{}
	for _, k := range kinds {
		if len(k.Source.Spec.Conditions) > 0 {
			items = append(items, k.Source.Document)
		}
	}
	data, err := json.MarshalIndent(map[string]any{"apiVersion": catalog.APIVersion, "kind": "ConditionCatalogList", "items": items}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s\n", data)
	return err
}

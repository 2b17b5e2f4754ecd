// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/check/compatcheck"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/diff"
)

// options are those of diff.
type options struct {
	output, failOn string
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Classify what changed between two versions of catalogs",
		Long: "Compare catalogs with an earlier version of them, each a file, a folder or git:REVISION:PATH. Every change of the vocabulary is " +
			"breaking, " +
			"needs a note, or is compatible. With -o markdown it is a section for release notes.",
		Example: "  tristate diff git:main:catalogs catalogs\n  tristate diff git:v1.2.0:catalogs git:HEAD:catalogs -o markdown\n  tristate " +
			"diff old.yaml new.yaml --fail-on note",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return exit.Usagef("diff needs two versions, OLD and NEW")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return run(a, o, args[0], args[1]) },
	}
	c.Flags().StringVarP(&o.output, "output", "o", "text", "output: text, markdown, json")
	c.Flags().StringVar(&o.failOn, "fail-on", "breaking", "exit with 1 from this level on: breaking, note, compatible, never")
	return c
}

func run(a *app.App, o *options, from, to string) error {
	levels := []string{"breaking", "note", "compatible"}
	if !slices.Contains(append(levels, "never"), o.failOn) {
		return exit.Usagef("--fail-on %q: use one of breaking, note, compatible, never", o.failOn)
	}
	before, err := documentsAt(from)
	if err != nil {
		return err
	}
	after, err := documentsAt(to)
	if err != nil {
		return err
	}
	changes := diff.Compare(before, after)
	switch o.output {
	case "text":
		for _, c := range changes {
			fmt.Fprintf(a.Out, "%s: %s: %s  [%s]\n", c.Level, c.Subject, c.Message, compatcheck.For(c).ID)
			if c.Fix != "" {
				fmt.Fprintf(a.Out, "  fix: %s\n", c.Fix)
			}
		}
		if len(changes) == 0 {
			fmt.Fprintln(a.Out, "no change")
		}
	case "markdown":
		fmt.Fprint(a.Out, diff.Markdown(changes))
	case "json":
		data, err := json.MarshalIndent(map[string]any{"apiVersion": catalog.APIVersion, "kind": "ChangeList",
			"items": append([]diff.Change{}, changes...)}, "", "  ")
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s\n", data)
	default:
		return exit.Usagef("-o %q: use one of text, markdown, json", o.output)
	}
	worst := slices.Index(levels, string(diff.Worst(changes)))
	if limit := slices.Index(levels, o.failOn); worst >= 0 && limit >= 0 && worst <= limit {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

// documentsAt reads the catalogs of a file, a folder, or git:REVISION:PATH, in the order of names.
func documentsAt(where string) ([]*catalog.Document, error) {
	files, err := flags.ReadAt(where)
	if err != nil {
		return nil, err
	}
	var out []*catalog.Document
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sources, err := catalog.Parse(name, files[name])
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			out = append(out, &s.Document)
		}
	}
	return out, nil
}

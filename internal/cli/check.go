// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
)

func (a *App) check() *cobra.Command {
	flags := &catalogFlags{}
	c := &cobra.Command{
		Use:     "check [FILE ...]",
		Short:   "Check catalogs",
		Long:    "Load catalogs and print everything that is wrong with them, each with its place, the line and what to write instead. Exit code 1 with findings.",
		Example: "  tristate check catalogs/\n  tristate check my-operator.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			flags.paths = append(flags.paths, args...)
			return a.runCheck(flags)
		},
	}
	flags.add(c.Flags())
	return c
}

func (a *App) runCheck(flags *catalogFlags) error {
	files, err := flags.read()
	if err != nil {
		return &exit{ExitNotFound, err}
	}
	set, err := catalog.Load(files)
	if err == nil {
		types, cells := 0, 0
		for _, k := range set.Kinds() {
			types += len(k.Declaration.Types)
			for i := range k.Declaration.Types {
				cells += len(k.Declaration.Types[i].Reasons)
			}
		}
		_, err := fmt.Fprintf(a.Out, "%s, %s, %s: nothing found\n", count(len(set.Kinds()), "catalog"), count(types, "condition type"), count(cells, "cell"))
		return err
	}
	var found catalog.Errors
	if !errors.As(err, &found) {
		return err
	}
	for _, e := range found {
		fmt.Fprintf(a.Out, "%s: error: %s\n", e.Position, e.Message)
		fmt.Fprint(a.Out, snippet(files[e.Position.File], e.Position))
		if e.Path != "" {
			fmt.Fprintf(a.Out, "   at: %s\n", e.Path)
		}
		if e.Suggestion != "" {
			fmt.Fprintf(a.Out, "  fix: %s\n", e.Suggestion)
		}
		fmt.Fprintln(a.Out)
	}
	fmt.Fprintf(a.Out, "%s; %s fine\n", count(len(found), "error"), count(len(set.Kinds()), "catalog"))
	return &exit{ExitFindings, nil}
}

// snippet is the source line with a caret below the place.
func snippet(data []byte, p catalog.Position) string {
	lines := bytes.Split(data, []byte("\n"))
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	number := fmt.Sprint(p.Line)
	margin := strings.Repeat(" ", len(number))
	line := strings.TrimRight(string(lines[p.Line-1]), "\r")
	before := []rune(line)
	var indent strings.Builder
	for i := 0; i < p.Column-1 && i < len(before); i++ {
		if before[i] == '\t' {
			indent.WriteByte('\t')
		} else {
			indent.WriteByte(' ')
		}
	}
	return fmt.Sprintf("%s |\n%s | %s\n%s | %s^\n", margin, number, line, margin, indent.String())
}

// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/pack"
)

func (a *App) test() *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use:   "test PATH ...",
		Short: "Run the cases of catalogs that judge",
		Long: "Run the cases of catalogs. Those of NAME.yaml stand in testdata/NAME.yaml beside it: a list of {name, object, verdict} and, where they are to be " +
			"compared, reason, message and ready; now is the time of the judgement. Prints what is not as a case has it, with the evidence, and the rules that " +
			"no case reaches.",
		Example: "  tristate test catalogs/packs\n  tristate test -v my-operator.yaml",
		Args:    some("test: name the catalogs"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.runTest(args, verbose) },
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every case")
	return c
}

// some wants arguments, and says what for.
func some(missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s", missing)
		}
		return nil
	}
}

func (a *App) runTest(paths []string, verbose bool) error {
	files := map[string][]byte{}
	for _, path := range paths {
		more, err := readPath(path)
		if errors.Is(err, fs.ErrNotExist) {
			return &exit{ExitNotFound, err}
		} else if err != nil {
			return err
		}
		maps.Copy(files, more)
	}
	set, err := catalog.Load(files)
	if err != nil {
		return &exit{ExitFindings, err}
	}
	engine := pack.Engine(set)
	var outcomes []pack.Outcome
	wrong := 0
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(filepath.Dir(file), "testdata", filepath.Base(file))
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // what it declares is not reached then
		} else if err != nil {
			return err
		}
		cases, err := pack.ReadCases(name, data)
		if err != nil {
			return &exit{ExitFindings, err}
		}
		for _, c := range cases {
			outcome := c.Run(engine)
			outcomes = append(outcomes, outcome)
			if len(outcome.Wrong) > 0 {
				wrong++
			}
			if verbose || len(outcome.Wrong) > 0 {
				a.printOutcome(name, &outcome)
			}
		}
	}
	untested := pack.Untested(set, outcomes)
	for _, rule := range untested {
		fmt.Fprintf(a.Out, "not reached: %s\n", rule)
	}
	fmt.Fprintf(a.Out, "%s, %s: %d wrong, %s not reached\n", count(len(set.Kinds()), "catalog"), count(len(outcomes), "case"), wrong, count(len(untested), "rule"))
	if wrong+len(untested) > 0 {
		return &exit{ExitFindings, nil}
	}
	return nil
}

func (a *App) printOutcome(file string, o *pack.Outcome) {
	word := "ok   "
	if len(o.Wrong) > 0 {
		word = "wrong"
	}
	v := &o.Verdict
	fmt.Fprintf(a.Out, "%s %s: %s: %s %s", word, file, o.Case.Name, v.Status, v.Reason)
	if message := v.Message(); message != "" {
		fmt.Fprintf(a.Out, " (%s)", message)
	}
	fmt.Fprintf(a.Out, ", by %s\n", v.Rule)
	if len(o.Wrong) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "      %s\n", strings.Join(o.Wrong, "\n      "))
	for _, e := range v.Evidence() {
		fmt.Fprintf(a.Out, "      %s = %v\n", e.Path, e.Value)
	}
}

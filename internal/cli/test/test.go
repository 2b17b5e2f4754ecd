// SPDX-License-Identifier: Apache-2.0

package test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/english"
	"github.com/tristate/tristate/internal/declare/pack"
)

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	var verbose bool
	c := &cobra.Command{
		Use:   "test PATH ...",
		Short: "Run the cases of catalogs that judge",
		Long: "Run the cases of catalogs. Those of NAME.yaml are in testdata/NAME.yaml of its folder: a list of {name, object, verdict} and, " +
			"where they are to be " +
			"compared, reason, message and ready; now is the time of the judgement. The words that its controller writes are in " +
			"vocabulary/NAME.yaml, a list of " +
			"{source, version, group, kinds, healthy, types, fields}: each is tried on an object that is otherwise healthy. Prints each case and " +
			"each word that is judged otherwise, with the evidence; the rules that neither reaches; the rules that compare with zero, false or empty a field that may be " +
			"absent; the words that a catalog reads and no " +
			"vocabulary lists; and the " +
			"catalogs that judge by words and do not say where these were read (spec.source: owner/repository@commit, path; or none, REASON). " +
			"Those that were read more than a year ago are counted, and do not fail the test.",
		Example: "  tristate test catalogs/packs\n  tristate test -v my-operator.yaml",
		Args:    flags.Some("test: name the catalogs"),
		RunE:    func(_ *cobra.Command, args []string) error { return run(a, args, verbose) },
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every case")
	return c
}

func run(a *app.App, paths []string, verbose bool) error {
	files := map[string][]byte{}
	for _, path := range paths {
		more, err := flags.ReadPath(path)
		if err != nil {
			return err
		}
		maps.Copy(files, more)
	}
	set, err := catalog.Load(files)
	if err != nil {
		return exit.With(exit.Findings, err)
	}
	engine := pack.Engine(set)
	var outcomes []pack.Outcome
	wrong := 0
	report := func(file string, o pack.Outcome) {
		outcomes = append(outcomes, o)
		if len(o.Wrong) > 0 {
			wrong++
		}
		if verbose || len(o.Wrong) > 0 {
			printOutcome(a, file, &o)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(filepath.Dir(file), "testdata", filepath.Base(file))
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its rules count as not reached
		} else if err != nil {
			return err
		}
		cases, err := pack.ReadCases(name, data)
		if err != nil {
			return exit.With(exit.Findings, err)
		}
		for _, c := range cases {
			report(name, c.Run(engine))
		}
	}
	ran := len(outcomes)
	vocabularies, err := vocabulariesOf(files)
	if err != nil {
		return err
	}
	words := 0
	for _, name := range slices.Sorted(maps.Keys(vocabularies)) {
		list := vocabularies[name]
		for i := range list {
			words += list[i].Size()
			for _, outcome := range list[i].Judge(engine) {
				report(name, outcome)
			}
		}
	}
	untested := pack.Untested(set, outcomes)
	unlisted, absent := 0, 0
	all := slices.Concat(slices.Collect(maps.Values(vocabularies))...)
	for _, k := range set.Kinds() {
		for _, finding := range pack.Unlisted(k, all) {
			unlisted++
			fmt.Fprintf(a.Out, "not listed: %s\n", finding)
		}
		for _, finding := range pack.Absent(k) {
			absent++
			fmt.Fprintf(a.Out, "absent is not zero: %s: write has(...), or .?field.orValue(...)\n", finding)
		}
	}
	unread, old := pack.Unread(set, a.Now())
	for _, name := range unread {
		fmt.Fprintf(a.Out, "no source: %s: spec.source names where its words were read, as owner/repository@commit, path; or says none, "+
			"and why\n", name)
	}
	if verbose {
		for _, name := range old {
			fmt.Fprintf(a.Out, "old source: %s\n", name)
		}
	}
	if len(old) > 0 {
		fmt.Fprintf(a.Out, "info: %d of %s read at a commit that is more than a year old%s\n", len(old),
			english.Count(len(set.Kinds()), "catalog"), map[bool]string{false: "; -v lists them"}[verbose])
	}
	for _, rule := range untested {
		fmt.Fprintf(a.Out, "not reached: %s\n", rule)
	}
	fmt.Fprintf(a.Out, "%s, %s%s: %d wrong, %s not reached\n", english.Count(len(set.Kinds()), "catalog"), english.Count(ran, "case"),
		ofVocabularies(words), wrong, english.Count(len(untested), "rule"))
	if wrong+len(untested)+unlisted+absent+len(unread) > 0 {
		return exit.With(exit.Findings, nil)
	}
	return nil
}

// vocabulariesOf reads the vocabularies next to catalogs, by file.
func vocabulariesOf(files map[string][]byte) (map[string][]pack.Vocabulary, error) {
	out := map[string][]pack.Vocabulary{}
	for file := range files {
		name := filepath.Join(filepath.Dir(file), "vocabulary", filepath.Base(file))
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		if out[name], err = pack.ReadVocabularies(name, data); err != nil {
			return nil, exit.With(exit.Findings, err)
		}
	}
	return out, nil
}

// ofVocabularies is the number of words that were tried, where there are any.
func ofVocabularies(words int) string {
	if words == 0 {
		return ""
	}
	return ", " + english.Count(words, "word")
}

func printOutcome(a *app.App, file string, o *pack.Outcome) {
	word := "ok   "
	if len(o.Wrong) > 0 {
		word = "wrong"
	}
	v := &o.Verdict
	fmt.Fprintf(a.Out, "%s %s: %s: %s %s", word, file, o.Case.Name, v.Status, v.Reason)
	if message := v.Message; message != "" {
		fmt.Fprintf(a.Out, " (%s)", message)
	}
	fmt.Fprintf(a.Out, ", by %s\n", v.Rule)
	if len(o.Wrong) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "      %s\n", strings.Join(o.Wrong, "\n      "))
	for _, e := range v.Evidence {
		fmt.Fprintf(a.Out, "      %s = %v\n", e.Path, e.Value)
	}
}

// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"errors"
	"fmt"

	"github.com/tristate/tristate/internal/cli/app"
	"github.com/tristate/tristate/internal/cli/exit"
	"github.com/tristate/tristate/internal/cli/flags"

	"github.com/spf13/cobra"
	"github.com/tristate/tristate/internal/prove/score"
	"github.com/tristate/tristate/internal/read/kstatus"
	"github.com/tristate/tristate/internal/read/pack"
	"github.com/tristate/tristate/verdict"
)

// options are the flags.
type options struct {
	catalogs flags.Catalogs
	sets     []string
	generic  bool
	misses   bool
	ablate   bool
}

// Command returns the command.
func Command(a *app.App) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:    "corpus DIR...",
		Short:  "Compare the verdicts with a corpus of objects with asserted health",
		Hidden: true,
		Long: "Judge the objects of a corpus (a folder with an index.json) and print what was asserted and what was found, for this engine and " +
			"for kstatus: " +
			"shares, the confusion matrix, the rules by objects decided, and every miss with the evidence of its verdict. With --ablate several " +
			"folders are read as one: " +
			"corpora, files of cases (name, object, verdict), lists of objects, and vocabularies.",
		Example: "  tristate corpus ../shared/corpus\n  tristate corpus ../shared/corpus --generic --misses=false\n" +
			"  tristate corpus --ablate ../shared/corpus ../shared/witness ../shared/vocab internal/prove/score/testdata/holdout " +
			"catalogs/packs/testdata internal/read/pack/testdata/conventions",
		Args: flags.Some("corpus: name its folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.ablate {
				return runAblation(a, o, args)
			}
			if len(args) > 1 {
				return exit.Usagef("corpus: name one folder; several are read with --ablate")
			}
			return run(a, o, args[0])
		},
	}
	o.catalogs.Add(c.Flags())
	c.Flags().StringSliceVar(&o.sets, "set", []string{"argocd-lua", "argocd-builtin"}, "sets of the corpus")
	c.Flags().BoolVar(&o.generic, "generic", false, "without catalogs and rule packs")
	c.Flags().BoolVar(&o.ablate, "ablate", false, "print what each rule and each word of the conventions contributes, judging without it; "+
		"implies --generic")
	c.Flags().BoolVar(&o.misses, "misses", true, "print the misses of this engine")
	return c
}

func run(a *app.App, o *options, dir string) error {
	engine, name := new(verdict.Engine), "tristate, conventions alone"
	if !o.generic {
		set, err := o.catalogs.Load()
		if err != nil {
			return err
		}
		packs, err := pack.Shipped()
		if err != nil {
			return err
		}
		engine, name = pack.Engine(set, packs), "tristate, with catalogs and rule packs"
	}
	now := a.Now()
	for _, set := range o.sets {
		rows, err := score.Load(dir, set, now)
		if err != nil {
			return exit.With(exit.NotFound, err)
		}
		if len(rows) == 0 {
			return exit.With(exit.NotFound, fmt.Errorf("corpus %s has no set %q", dir, set))
		}
		fmt.Fprintf(a.Out, "# %s\n\n", set)
		if err := score.Run(kstatus.Rule, kstatus.Engine{}, rows, now).Write(a.Out, false); err != nil {
			return err
		}
		fmt.Fprintln(a.Out)
		if err := score.Run(name, engine, rows, now).Write(a.Out, o.misses); err != nil {
			return err
		}
	}
	return nil
}

// runAblation prints what rules and words are worth over all folders together.
func runAblation(a *app.App, o *options, dirs []string) error {
	var rows []score.Row
	for _, dir := range dirs {
		some, err := score.Read(dir, append(o.sets, score.Unasserted...), a.Now())
		if err != nil {
			return exit.With(exit.NotFound, err)
		}
		fmt.Fprintf(a.Out, "%s: %d objects\n", dir, len(some))
		rows = append(rows, some...)
	}
	if len(rows) == 0 {
		return exit.With(exit.NotFound, errors.New("corpus: no objects"))
	}
	rules, words := score.Ablate(new(verdict.Engine), rows, a.Now())
	fmt.Fprintln(a.Out)
	if err := score.WriteContributions(a.Out, "rule", rules); err != nil {
		return err
	}
	fmt.Fprintln(a.Out)
	return score.WriteContributions(a.Out, "word", words)
}

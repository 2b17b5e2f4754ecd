// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
)

// asserted is the word of a corpus for a verdict.
var asserted = map[verdict.Status]string{verdict.Current: "Healthy", verdict.InProgress: "Progressing", verdict.Failed: "Degraded",
	verdict.Degraded:  "Degraded",
	verdict.Suspended: "Suspended", verdict.Unknown: "Unknown", verdict.NotFound: "Missing"}

// ownTime is the time at which the objects of the project's own corpus are judged.
var ownTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// own reads the corpus that is part of the project: the cases of the rule packs and those of the conventions. Skipped counts those that are
// judged at a time of their own or are being deleted.
func own(t testing.TB) (packs, conventions []score.Row, skipped int) {
	t.Helper()
	read := func(pattern string) (rows []score.Row) {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cases, err := pack.ReadCases(file, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				word := asserted[c.Verdict]
				if word == "" || !c.Now.Equal(ownTime) {
					skipped++
					continue
				}
				group, _ := c.Object["apiVersion"].(string)
				kind, _ := c.Object["kind"].(string)
				rows = append(rows, score.Row{ID: filepath.Base(file) + "/" + c.Name, Group: filepath.Dir(group), Kind: kind, Expected: word,
					Object: c.Object})
			}
		}
		return rows
	}
	return read("../../catalogs/packs/testdata/*.yaml"), read("../../internal/declare/pack/testdata/conventions/*.yaml"), skipped
}

// TestOwnCorpus measures engines on the corpus that every clone has. The packs are right for all of it, which other tests assert case by
// case; the share that conventions get right of the objects of packs is their worth for kinds without a pack, and kstatus is there for
// comparison.
func TestOwnCorpus(t *testing.T) {
	packs, conventions, skipped := own(t)
	whole := append(append([]score.Row{}, packs...), conventions...)
	for name, tc := range map[string]struct {
		engine    score.Judge
		rows      []score.Row
		exact     float64 // percent, at least
		right     int     // objects, at least
		mostGreen float64 // percent of the broken ones called Current, at most
	}{
		"packs":       {pack.Default(embedded(t)), whole, 99.5, 0, 0.3},
		"conventions": {new(verdict.Engine), whole, 0, rightByConventions, mostGreenByConventions},
		"kstatus":     {kstatus.Engine{}, whole, 0, 0, 100},
	} {
		t.Run(name, func(t *testing.T) {
			r := score.Run(name, tc.engine, tc.rows, ownTime)
			t.Logf("%d objects, %d skipped: %d right, %.1f %%, mean over %d groups %.1f %%, %.1f %% of the broken ones called Current",
				r.Rows, skipped, r.Right, r.Exact(), len(r.ByGroup), r.GroupMean(), r.FalseGreen().Percent())
			if r.Exact() < tc.exact || r.Right < tc.right || r.FalseGreen().Percent() > tc.mostGreen {
				t.Errorf("want at least %d and %.1f %% right, and at most %.1f %% of the broken ones called Current", tc.right, tc.exact, tc.mostGreen)
			}
		})
	}
	for set, rows := range map[string]int{"argocd-lua": 581, "argocd-builtin": 50, "kstatus": 161} {
		if _, err := os.Stat(filepath.Join("..", "..", "..", "shared", "corpus")); err != nil {
			t.Logf("skipped: %d objects of %s, which are not beside the repository", rows, set)
		}
	}
}

// What conventions alone get right of the objects of packs and of their own: a number of objects, which a new case can only raise and a
// pack that gives way to a catalog lowers, and which a change of conventions may not lower; and how many of the broken ones they call
// Current, in percent.
const (
	rightByConventions     = 2670
	mostGreenByConventions = 6
)

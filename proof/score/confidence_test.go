// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
)

// TestConfidence prints, for each confidence, how many of the verdicts that have it are right: of all that is shipped on the objects that
// every clone has and that were written before any engine saw them, and of the conventions alone on those and on the cases of the packs.
//
//	go test ./proof/score -run TestConfidence -v
func TestConfidence(t *testing.T) {
	var written []unseen
	for _, dir := range []string{"unseen", "holdout"} {
		written = append(append(written, readOpen(t, dir)...), readSealed(t, dir)...)
	}
	cases, _, _ := own(t)
	for _, tc := range []struct {
		name   string
		engine *verdict.Engine
		rows   []score.Row
	}{{"shipped", pack.Default(embedded(t)), nil}, {"conventions", new(verdict.Engine), cases}} {
		shares := map[verdict.Confidence]score.Share{}
		count := func(c verdict.Confidence, right bool) {
			s := shares[c]
			if s.All++; right {
				s.Right++
			}
			shares[c] = s
		}
		for _, x := range written {
			c := tc.engine.Judge(x.Object, writtenTime).Confidence
			count(c, mark(tc.engine, []unseen{x}, func(unseen, verdict.Verdict) {}).right == 1)
		}
		for _, row := range tc.rows {
			r := score.Run("", tc.engine, []score.Row{row}, ownTime)
			count(tc.engine.Judge(row.Object, ownTime).Confidence, r.Right == 1)
		}
		for _, c := range []verdict.Confidence{verdict.FromCatalog, verdict.FromBuiltin, verdict.FromCondition, verdict.FromHeuristic,
			verdict.FromNothing} {
			if s := shares[c]; s.All > 0 {
				t.Logf("%-12s %-10s %5d of %5d right, %.1f %%", tc.name, c, s.Right, s.All, s.Percent())
			}
		}
	}
}

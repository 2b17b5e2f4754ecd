// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
)

// labelled is an object with the verdicts that are right at a moment.
type labelled struct {
	set    string
	object map[string]any
	now    time.Time
	right  func(verdict.Status) bool
}

// allLabelled reads all objects with asserted verdicts: those that were written before any engine saw them, the cases of the project and,
// where it is beside the repository, the corpus.
func allLabelled(t *testing.T) (out []labelled) {
	for _, set := range []string{"a", "b"} {
		for _, x := range readFresh(t, set) {
			out = append(out, labelled{"fresh " + set, x.object, x.Now, func(s verdict.Status) bool { return slices.Contains(x.Expected, s) }})
		}
	}
	for _, dir := range []string{"unseen", "holdout"} {
		for half, list := range map[string][]unseen{" open": readOpen(t, dir), " sealed": readSealed(t, dir)} {
			for _, x := range list {
				out = append(out, labelled{dir + half, x.Object, writtenTime, func(s verdict.Status) bool {
					return s == x.Verdict || slices.Contains(x.Also, s)
				}})
			}
		}
	}
	asserts := func(set string, rows []score.Row, now time.Time) {
		for _, r := range rows {
			out = append(out, labelled{set, r.Object, now, func(s verdict.Status) bool {
				return score.Accepts(r.Expected, s, nested.At(r.Object, "metadata", "deletionTimestamp") != nil)
			}})
		}
	}
	packs, conventions, _ := own(t)
	asserts("cases of packs", packs, ownTime)
	asserts("cases of conventions", conventions, ownTime)
	dir := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Log("no corpus beside the repository")
		return out
	}
	for _, set := range []string{"argocd-lua", "argocd-builtin"} {
		asserts(set, load(t, set, writtenTime), writtenTime)
	}
	return out
}

// TestConfidence: of the verdicts on all labelled objects 87.5 % are sure, and of those 0.8 % are wrong. Of the objects of the three sets
// that no rule was made from, fewer are sure, and more of those are wrong.
//
//	go test ./proof/score -run TestConfidence -v
func TestConfidence(t *testing.T) {
	const (
		leastSure = 87   // percent of all
		mostWrong = 0.81 // percent of the sure ones
	)
	engine := pack.Default(embedded(t))
	list := allLabelled(t)
	sure, right := map[string]score.Share{}, map[string]score.Share{}
	for _, x := range list {
		v := engine.Judge(x.object, x.now)
		for _, set := range []string{x.set, "all"} {
			is := v.Confidence() == verdict.Sure
			sure[set] = add(sure[set], is)
			if is {
				right[set] = add(right[set], x.right(v.Status))
			}
		}
	}
	for set, s := range sure {
		t.Logf("%-22s %5d of %5d sure, %.1f %%; wrong among the sure: %d, %.2f %%", set, s.Right, s.All, s.Percent(),
			right[set].All-right[set].Right, 100-right[set].Percent())
	}
	if got := sure["all"].Percent(); got < leastSure {
		t.Errorf("want at least %d %% sure, got %.1f", leastSure, got)
	}
	if got := 100 - right["all"].Percent(); got > mostWrong {
		t.Errorf("want at most %.1f %% wrong among the sure, got %.2f", mostWrong, got)
	}
}

func add(s score.Share, ok bool) score.Share {
	s.All++
	if ok {
		s.Right++
	}
	return s
}

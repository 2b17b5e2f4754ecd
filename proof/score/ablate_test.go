// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
)

// TestAblation: without each rule and each word some object of a corpus is judged otherwise, or there is a reason to keep it. The corpora
// are those of the project, but for the sealed half of the hold-out, and those beside it.
func TestAblation(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "shared")
	var rows []score.Row
	now := time.Now()
	for _, dir := range []string{corpus(t), filepath.Join(shared, "witness"), filepath.Join(shared, "vocab"),
		filepath.Join("testdata", "holdout"),
		filepath.Join("..", "..", "catalogs", "packs", "testdata"), filepath.Join("..", "..", "internal", "declare", "pack", "testdata", "conventions")} {
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("no %s", dir)
		}
		some, err := score.Read(dir, append([]string{"argocd-lua", "argocd-builtin"}, score.Unasserted...), now)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, some...)
	}
	engine := new(verdict.Engine)
	base := make([]verdict.Status, len(rows))
	reads, claimed := map[verdict.WordRead][]int{}, map[string][]int{} // rows by the words that were read and the rules that claimed
	for i := range rows {
		v, x := engine.Explain(rows[i].Object, now)
		base[i] = v.Status
		for _, w := range x.Words {
			reads[w] = append(reads[w], i)
		}
		claimed[v.Rule] = append(claimed[v.Rule], i)
		for _, c := range x.Claims {
			claimed[c.Rule] = append(claimed[c.Rule], i)
		}
	}
	changes := func(e *verdict.Engine, among []int) bool {
		for _, i := range among {
			if e.Judge(rows[i].Object, now).Status != base[i] {
				return true
			}
		}
		return false
	}
	for _, r := range verdict.All {
		if needed := changes(engine.Without([]string{r.ID}), claimed[r.ID]); !needed && r.Keep == "" {
			t.Errorf("rule %s: no object of %d is judged otherwise without it, and no reason is given to keep it", r.ID, len(rows))
		} else if needed && r.Keep != "" {
			t.Errorf("rule %s: objects need it, so it needs no reason to be kept", r.ID)
		}
	}
	every := make([]int, len(rows))
	for i := range every {
		every[i] = i
	}
	for _, w := range verdict.Words() {
		among := every
		if w.Meaning != "nothing" { // of which reading leaves no trace
			among = nil
			for _, in := range []string{"word", "message", "whole"} {
				among = append(among, reads[verdict.WordRead{Word: w.Word, Meaning: w.Meaning, In: in}]...)
			}
		}
		if w.Keep == "" && !changes(engine.Without(nil, w), among) {
			t.Errorf("%s %s: no object of %d is judged otherwise without it, and no reason is given to keep it", w.In, w.Word, len(rows))
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/export/kstatus"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/verdict"
)

// corpus is the folder of the corpus; tests that need it are skipped if it is absent.
func corpus(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no corpus beside the repository")
	}
	return dir
}

func load(t testing.TB, set string, now time.Time) []score.Row {
	t.Helper()
	rows, err := score.Load(corpus(t), set, now)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func log(t *testing.T, r *score.Report) {
	t.Helper()
	var b strings.Builder
	if err := r.Write(&b, testing.Verbose()); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
}

func TestGenericEngineOnCustomResources(t *testing.T) {
	now := time.Now()
	rows := load(t, "argocd-lua", now)
	plain := score.Run(kstatus.Rule, kstatus.Engine{}, rows, now)
	log(t, plain)
	r := score.Run("tristate", new(verdict.Engine), rows, now)
	log(t, r)
	if got := r.Exact(); got < 90 {
		t.Errorf("exact agreement: want at least 90 %%, got %.2f", got)
	}
	if got := r.GroupMean(); got < 78 {
		t.Errorf("mean over groups: want at least 78 %%, got %.1f", got)
	}
	if got := r.FalseGreen().Percent(); got > 4 {
		t.Errorf("broken called Current: want at most 4 %%, got %.1f", got)
	}
	if got := r.DegradedRecall().Percent(); got < 75 {
		t.Errorf("broken recognised: want at least 75 %%, got %.1f", got)
	}
}

func TestBuiltinKinds(t *testing.T) {
	now := time.Now()
	r := score.Run("tristate", new(verdict.Engine), load(t, "argocd-builtin", now), now)
	log(t, r)
	for i := range r.Misses {
		m := &r.Misses[i]
		t.Errorf("%s: want %s, got %s: %s", m.Row.ID, m.Row.Expected, m.Verdict.Status, m.Verdict.Message)
	}
}

func readObject(t *testing.T, path string, now time.Time) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, obj, err := score.Decode(raw, now)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return obj
}

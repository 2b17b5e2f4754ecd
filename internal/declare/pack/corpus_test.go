// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/score"
	"github.com/tristate/tristate/systems"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// shipped returns the catalogs and packs that come with the module.
func shipped(t testing.TB) (*catalog.Set, *catalog.Set) {
	t.Helper()
	own, err := catalog.LoadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return own, packs
}

func TestCorpus(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no corpus beside the repository")
	}
	now := time.Now()
	rows, err := score.Load(dir, "argocd-lua", now)
	if err != nil {
		t.Fatal(err)
	}
	own, packs := shipped(t)
	r := score.Run("packs", pack.Engine(own, packs), rows, now)
	var b strings.Builder
	if err := r.Write(&b, testing.Verbose()); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	if got := r.Exact(); got < 97 {
		t.Errorf("exact agreement: want at least 97 %%, got %.1f", got)
	}
	known := differences(t)
	for i := range r.Misses {
		m := &r.Misses[i]
		if d, ok := known[m.Row.ID]; !ok || d.Verdict != m.Verdict.Status {
			t.Errorf("%s: want %s as asserted, or a reason in testdata/differences.yaml; got %s by %s", m.Row.ID, m.Row.Expected, m.Verdict.Status,
				m.Verdict.Rule)
		}
		delete(known, m.Row.ID)
	}
	for id := range known {
		t.Errorf("%s: is judged as asserted, and is in testdata/differences.yaml", id)
	}
}

// difference is a row of the corpus for which the packs have another verdict on purpose.
type difference struct {
	Verdict verdict.Status `json:"verdict"`
	Reason  string         `json:"reason"`
}

func differences(t testing.TB) map[string]difference {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "differences.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]difference
	if err := yaml.UnmarshalStrict(data, &known); err != nil {
		t.Fatal(err)
	}
	for id, d := range known {
		if d.Reason == "" {
			t.Errorf("%s: the difference has no reason", id)
		}
	}
	return known
}

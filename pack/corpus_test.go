// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/pack"
	"github.com/tristate/tristate/verdict/score"
)

// shipped gives the catalogs and packs that come with the module.
func shipped(t testing.TB) (*catalog.Set, *catalog.Set) {
	t.Helper()
	own, err := catalog.LoadFS(catalogs.FS, ".")
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
	dir := filepath.Join("..", "..", "shared", "corpus")
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
}

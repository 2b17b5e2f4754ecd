// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/pack"
)

// TestShipped: every case of a shipped pack holds, and every rule decides one, or a word of its vocabulary.
func TestShipped(t *testing.T) {
	own, packs := shipped(t)
	whole, engine := pack.Engine(own, packs), pack.Default(own)
	files, err := fs.Glob(catalogs.Packs, "packs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no packs: %v", err)
	}
	var outcomes []pack.Outcome
	for _, file := range files {
		t.Run(path.Base(file), func(t *testing.T) {
			name := filepath.Join("..", "..", "..", "catalogs", "packs", "testdata", path.Base(file))
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			cases, err := pack.ReadCases(name, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cases {
				o := c.Run(engine)
				if all := c.Run(whole); all.Verdict.Rule != o.Verdict.Rule {
					t.Errorf("%s: by %s, and by %s where all packs are read at once", c.Name, o.Verdict.Rule, all.Verdict.Rule)
				}
				for _, wrong := range o.Wrong {
					t.Errorf("%s: %s, by %s", c.Name, wrong, o.Verdict.Rule)
				}
				outcomes = append(outcomes, o)
			}
		})
	}
	list := vocabularies(t)
	for i := range list {
		outcomes = append(outcomes, list[i].Judge(engine)...)
	}
	for _, rule := range pack.Untested(packs, outcomes) {
		t.Errorf("no case reaches %s", rule)
	}
}

// Packs are read by the API group that they mention.
func TestShipped_haveGroups(t *testing.T) {
	_, packs := shipped(t)
	for _, k := range packs.Kinds() {
		if k.For.Group == "" {
			t.Errorf("%s: the pack of a kind without a group is never read", k.For)
		}
	}
}

// A catalog for a kind comes before the shipped pack for it, so no shipped catalog may hide a shipped pack.
func TestShipped_disjoint(t *testing.T) {
	own, packs := shipped(t)
	for _, k := range packs.Kinds() {
		for _, other := range own.Kinds() {
			if other.For == k.For && other.Source.Spec.For.Overlaps(k.Source.Spec.For) {
				t.Errorf("%s has a catalog, which hides its pack", k.For)
			}
		}
	}
}

// TestDefault_concurrent is for the race detector: packs are read while others judge by them.
func TestDefault_concurrent(t *testing.T) {
	_, packs := shipped(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			engine := pack.Default()
			for _, k := range packs.Kinds() {
				engine.Judge(map[string]any{"apiVersion": k.For.Group + "/v1", "kind": k.For.Kind}, time.Time{})
				engine.Judge(map[string]any{"apiVersion": "x." + k.For.Group + "/v1", "kind": k.For.Kind}, time.Time{})
			}
		})
	}
	wait.Wait()
}

// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/verdict"
	"sigs.k8s.io/yaml"
)

// fresh is an object with the verdicts that are right at a moment, the best first.
type fresh struct {
	File, Why string
	Now       time.Time
	Expected  []verdict.Status
	object    map[string]any
}

// TestFresh judges two sets of 60 objects of operators and kinds drawn at random, most of them marshalled by upstream's types, which were
// labelled before any engine saw them. Of the sealed set only counts are printed, so that no rule is made from it.
func TestFresh(t *testing.T) {
	engine := pack.Default(embedded(t))
	for set, tc := range map[string]struct{ leastRight, mostGreen, mostRed int }{"a": {58, 0, 1}, "b": {56, 0, 2}} {
		t.Run(set, func(t *testing.T) {
			list := readFresh(t, set)
			var m marks
			for _, x := range list {
				v := engine.Judge(x.object, x.Now)
				switch {
				case slices.Contains(x.Expected, v.Status):
					m.right++
					continue
				case v.Status == verdict.Current && x.Expected[0].Broken():
					m.green++
				case v.Status.Broken() && !x.Expected[0].Broken():
					m.red++
				}
				if set == "a" {
					t.Logf("%s: want %v, got %s by %s: %s", x.File, x.Expected, v.Status, v.Rule, x.Why)
				}
			}
			t.Logf("%d of %d right, %d broken ones called Current, %d others called Failed or Degraded", m.right, len(list), m.green, m.red)
			if m.right < tc.leastRight || m.green > tc.mostGreen || m.red > tc.mostRed {
				t.Errorf("want at least %d right, at most %d and %d", tc.leastRight, tc.mostGreen, tc.mostRed)
			}
		})
	}
}

// readFresh reads a set.
func readFresh(t *testing.T, set string) []fresh {
	t.Helper()
	files := golden.Archive(t, filepath.Join("testdata", "fresh", set+".tar.gz"))
	var list []fresh
	if err := json.Unmarshal(files["index.json"], &list); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if err := yaml.Unmarshal(files[list[i].File], &list[i].object); err != nil {
			t.Fatalf("%s: %v", list[i].File, err)
		}
	}
	return list
}

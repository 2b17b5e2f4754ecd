// SPDX-License-Identifier: Apache-2.0

package score_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// readSealed reads a compressed file of objects.
func readSealed(t *testing.T, dir string) []unseen {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", dir, "sealed.yaml.gz"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return readUnseen(t, "sealed", data)
}

// readOpen reads the objects of a folder that are not sealed.
func readOpen(t *testing.T, dir string) []unseen {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	var list []unseen
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, readUnseen(t, file, data)...)
	}
	return list
}

// TestUnseen judges 260 objects of some 100 operators, written with their verdicts before any engine saw them: stages of Cluster API, kro
// and cert-manager, kinds with a pack and kinds without. They are judged with everything that is shipped, and by conventions alone. Faults
// found on the open half were mended as classes; of the sealed half only counts are printed, so that it measures what those mends are worth
// elsewhere.
func TestUnseen(t *testing.T) {
	open, sealed := readOpen(t, "unseen"), readSealed(t, "unseen")
	shipped := pack.Default(embedded(t))
	for name, tc := range map[string]struct {
		list       []unseen
		engine     *verdict.Engine
		leastRight int
		// mostGreen counts broken objects called Current, mostRed those under way, well or off called Failed.
		mostGreen, mostRed int
		silent             bool
	}{
		"open, shipped":       {open, shipped, 122, 0, 0, false},
		"open, conventions":   {open, new(verdict.Engine), 117, 1, 0, false},
		"sealed, shipped":     {sealed, shipped, 130, 1, 0, true},
		"sealed, conventions": {sealed, new(verdict.Engine), 130, 1, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := mark(tc.engine, tc.list, func(x unseen, v verdict.Verdict) {
				if !tc.silent {
					t.Logf("%s: want %s, got %s by %s: %s", x.Name, x.Verdict, v.Status, v.Rule, v.Message)
				}
			})
			t.Logf("%d of %d right, %d broken ones called Current, %d others called Failed", m.right, len(tc.list), m.green, m.red)
			if m.right < tc.leastRight || m.green > tc.mostGreen || m.red > tc.mostRed {
				t.Errorf("want at least %d right, at most %d broken ones called Current and at most %d others called Failed", tc.leastRight,
					tc.mostGreen, tc.mostRed)
			}
		})
	}
}

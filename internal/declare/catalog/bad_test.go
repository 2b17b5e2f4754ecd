// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestBad holds the errors of malformed catalogs to testdata/bad: an archive has the files that are loaded together and,
// in want, the errors that Load gives for them.
func TestBad(t *testing.T) {
	names, err := filepath.Glob("testdata/bad/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want, at := map[string][]byte{}, "", -1
			for i, f := range archive.Files {
				if f.Name == "want" {
					want, at = string(f.Data), i
				} else {
					files[f.Name] = f.Data
				}
			}
			_, err = Load(files)
			if err == nil {
				t.Fatal("loads without an error")
			}
			got := err.Error() + "\n"
			if *update && got != want {
				section := txtar.File{Name: "want", Data: []byte(got)}
				if at < 0 {
					archive.Files = append(archive.Files, section)
				} else {
					archive.Files[at] = section
				}
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("errors (-want +got), rewrite with -update:\n%s", diff)
			}
		})
	}
}

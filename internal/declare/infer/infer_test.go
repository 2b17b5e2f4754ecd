// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/infer"
	"github.com/tristate/tristate/internal/declare/source/goscan"
	"github.com/tristate/tristate/internal/fleet/input"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the want of testdata")

// read reads the objects of a file.
func read(t *testing.T, d *infer.Draft, name string, data []byte) {
	objects, errs := input.Parse(name, data)
	for _, err := range errs {
		t.Fatal(err)
	}
	for _, o := range objects {
		if o.Content["kind"] == "CustomResourceDefinition" {
			if err := d.Definition(name, o.Content); err != nil {
				t.Fatal(err)
			}
		} else {
			d.Object(o.Content)
		}
	}
}

// readCode scans a module, and returns the places that need a person.
func readCode(t *testing.T, d *infer.Draft, files map[string][]byte) string {
	t.Chdir(t.TempDir())
	for name, data := range files {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scan, err := goscan.Scan(t.Context(), ".", goscan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var left strings.Builder
	for _, one := range d.Code(scan) {
		left.WriteString(one.String() + "\n")
	}
	return left.String()
}

// TestInfer holds drafts to testdata: an archive has the files that are read, code last, and in want the draft. The
// places that need a person are in left.
func TestInfer(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d := infer.New(infer.Options{Kinds: []string{"Widget.example.com"}})
			want, wantLeft, code := -1, "", map[string][]byte{}
			for i, f := range archive.Files {
				switch ext := filepath.Ext(f.Name); {
				case f.Name == "want":
					want = i
				case f.Name == "left":
					wantLeft = string(f.Data)
				case ext == ".go" || ext == ".mod":
					code[f.Name] = f.Data
				default:
					read(t, d, f.Name, f.Data)
				}
			}
			if len(code) > 0 {
				home, err := os.Getwd()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(wantLeft, readCode(t, d, code)); diff != "" {
					t.Errorf("places that need a person (-want +got):\n%s", diff)
				}
				t.Chdir(home)
			}
			got, err := d.YAML()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := catalog.Parse("draft.yaml", got); err != nil {
				t.Errorf("the draft is no catalog: %v", err)
			}
			if *update {
				archive.Files[want].Data = got
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(archive.Files[want].Data), string(got)); diff != "" {
				t.Errorf("draft (-want +got), rewrite with -update:\n%s", diff)
			}
		})
	}
}

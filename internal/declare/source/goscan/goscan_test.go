// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/source"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is found")

// TestScan scans each module of testdata and compares the sites, facts and faults with its file "want".
func TestScan(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no test data", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir, want := t.TempDir(), ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				name := filepath.Join(dir, f.Name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if path, err = filepath.Abs(path); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir) // for places that are relative
			scan, err := Scan(context.Background(), ".", Options{})
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				archive.Files[len(archive.Files)-1].Data = []byte(describe(scan))
				if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(want, describe(scan)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func describe(s *source.Scan) string {
	var b strings.Builder
	for _, one := range s.Sites {
		fmt.Fprintf(&b, "%s:%d %s=%s/%s\n", one.Position.File, one.Position.Line, texts(one.Types), texts(one.Statuses), texts(one.Reason))
	}
	for _, f := range s.Facts {
		fmt.Fprintf(&b, "%s:%d %s %s\n", f.Position.File, f.Position.Line, f.What, f.Text)
	}
	for _, f := range s.Faults {
		fmt.Fprintf(&b, "fault %s\n", f)
	}
	return b.String()
}

func texts(values []source.Value) string {
	var out []string
	for _, v := range values {
		if v.Known() {
			out = append(out, cmp.Or(v.Text, `""`))
		} else {
			out = append(out, fmt.Sprintf("%s(%s)", v.How, v.Expr))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "|")
}

// TestFolders: a folder is scanned with the module that encloses it, and each module below it by itself; code without a module is an error.
func TestFolders(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		dir   string
		want  []string
		fails string
	}{
		"a module":             {files: []string{"go.mod", "a.go"}, dir: ".", want: []string{"."}},
		"a folder of a module": {files: []string{"go.mod", "a/b/c.go"}, dir: "a", want: []string{"a"}},
		"modules in a module": {files: []string{"go.mod", "a.go", "in/go.mod", "in/a.go", "in/deep/go.mod", "in/deep/x/a.go"}, dir: ".",
			want: []string{".", "in", "in/deep"}},
		"modules in a plain folder": {files: []string{"in/go.mod", "in/a.go", "other/go.mod", "other/a.go"}, dir: ".",
			want: []string{"in", "other"}},
		"no module":                    {files: []string{"a/b.go"}, dir: ".", fails: "a/b.go: Go code without a module"},
		"tests, test data and other":   {files: []string{"a_test.go", "testdata/b.go", "vendor/c.go", "_d/d.go", ".e/e.go", "main.rs"}, dir: "."},
		"a folder left out, asked for": {files: []string{"go.mod", "testdata/b.go"}, dir: "testdata", want: []string{"testdata"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, file := range test.files {
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("module m\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Folders(test.dir)
			if test.fails != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.fails) {
					t.Errorf("%v, %v; want the error %s", got, err, test.fails)
				}
				return
			}
			if diff := gocmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("-want +got\n%s%v", diff, err)
			}
		})
	}
}

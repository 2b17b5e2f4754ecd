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
	"github.com/tristate/tristate/internal/source"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is found")

// TestScan scans each module of testdata and holds what is found to its file "want".
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
			scan, err := Scan(context.Background(), dir, Options{})
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

// SPDX-License-Identifier: Apache-2.0

package infer_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/infer"
	"github.com/tristate/tristate/internal/read/input"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the want of testdata")

// read reads a file by its extension.
func read(d *infer.Draft, name string, data []byte) error {
	switch filepath.Ext(name) {
	case ".md":
		return d.Markdown(name, data)
	case ".go":
		return d.Go(name, data)
	}
	objects, errs := input.Parse(name, data)
	for _, err := range errs {
		return err
	}
	for _, o := range objects {
		if o.Content["kind"] == "CustomResourceDefinition" {
			if err := d.Definition(name, o.Content); err != nil {
				return err
			}
		} else {
			d.Object(o.Content)
		}
	}
	return nil
}

// TestInfer holds drafts to testdata: an archive has the files that are read, in order, and in want the draft.
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
			want := -1
			for i, f := range archive.Files {
				if f.Name == "want" {
					want = i
				} else if err := read(d, f.Name, f.Data); err != nil {
					t.Fatal(err)
				}
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

// TestHostile: input that is too large, too deep or repeats itself without end is refused or bounded.
func TestHostile(t *testing.T) {
	bomb := "status:\n  a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 40 {
		bomb += "  " + string(rune('b'+i%20)) + strings.Repeat("x", i/20) + ": &n" + string(rune('b'+i%20)) + " [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
	}
	tests := map[string]struct {
		data string
		bad  bool
	}{
		"100 MB":           {strings.Repeat("| x | y |\n", 10<<20), true},
		"many tables":      {strings.Repeat("# Kind\n## Type\n| status | reason |\n|---|---|\n| True | Fine |\n", 5000), false},
		"many kinds":       {manyKinds(3000), false},
		"rows without end": {"| type | reasons |\n|---|---|\n" + strings.Repeat("| Ready | Fine, Bad |\n", 200_000), false},
		"one long line":    {"| type | reasons |\n|---|---|\n| Ready | " + strings.Repeat("Fine, ", 1<<20) + " |\n", false},
		"brackets":         {"| type | reasons |\n|---|---|\n| Ready | Fine " + strings.Repeat("(", 1<<20) + " |\n", false},
		"YAML bomb":        {"```\napiVersion: v1\nkind: Foo\n" + bomb + "  conditions: [*a, *a]\n```\n", false},
		"YAML of itself":   {"```\nkind: Foo\nstatus: &s\n  conditions: [*s]\n```\n", false},
		"deep":             {"```\nstatus:\n  conditions: " + strings.Repeat("[", 20_000) + "\n```\n", false},
		"rulers":           {strings.Repeat("|---|\n", 200_000), false},
	}
	for name, test := range tests {
		start := time.Now()
		d := infer.New(infer.Options{})
		if err := d.Markdown("hostile.md", []byte(test.data)); (err != nil) != test.bad {
			t.Errorf("%s: error %v", name, err)
		}
		if data, err := d.YAML(); err != nil || len(data) > 4<<20 {
			t.Errorf("%s: draft of %d bytes, error %v", name, len(data), err)
		}
		t.Logf("%-16s %v", name, time.Since(start).Round(time.Millisecond))
	}
}

func manyKinds(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("# Kind")
		for c := i; ; c /= 26 {
			b.WriteByte(byte('a' + c%26))
			if c < 26 {
				break
			}
		}
		b.WriteString("\n| type | reasons |\n|---|---|\n| Ready | Fine |\n")
	}
	return b.String()
}

// FuzzMarkdown: no text panics, and each draft is a file of catalogs.
func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("# Widget\n| type | reasons |\n|---|---|\n| Ready | Fine, Bad (because) |\n"))
	f.Add([]byte("Ready¶\nstatus |\nReasons |\n|---|---|\n| True | Fine |\n"))
	f.Add([]byte("```yaml\nstatus:\n  conditions:\n  - {type: Ready, status: \"True\", reason: Fine}\n```\n- A → B\n"))
	f.Add([]byte("`Cluster.Status.Conditions[Ready]` and `InfraReady`\n\nInfraReady=False, Reason=Bad, Severity=Info\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := infer.New(infer.Options{})
		if d.Markdown("fuzz.md", data) != nil {
			return
		}
		draft, err := d.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if d.Empty() {
			return
		}
		if _, err := catalog.Parse("draft.yaml", bytes.TrimSpace(draft)); err != nil {
			t.Fatalf("%v\n%s", err, draft)
		}
	})
}

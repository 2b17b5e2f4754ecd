// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/golden"
)

const sample = `Saw: an edit stays.
Class: ownership by name
Source: operators-2 A1
Test: operator ./child TestWriter/own_name
Plane: no

diff --git a/operator/child/writer.go b/operator/child/writer.go
--- a/operator/child/writer.go
+++ b/operator/child/writer.go
@@ -1 +1 @@
-a
+b
`

func TestParse(t *testing.T) {
	r, err := parse("operators-2-A1", sample)
	if err != nil {
		t.Fatal(err)
	}
	if r.Test != (test{"operator", "./child", "TestWriter/own_name"}) || r.Plane || r.Class != "ownership by name" {
		t.Errorf("%+v", r)
	}
	if got := r.files(); len(got) != 2 || got[0] != "operator/child/writer.go" {
		t.Errorf("files %q", got)
	}
	for _, bad := range []string{
		"",
		strings.Replace(sample, "Saw: an edit stays.\n", "", 1),
		strings.Replace(sample, "an edit stays.", "", 1),
		strings.Replace(sample, "Plane: no", "Plane: perhaps", 1),
		strings.Replace(sample, "operator ./child", "./child", 1),
		strings.Replace(sample, "Class:", "Kind: x\nClass:", 1),
		strings.Replace(sample, "Class:", "Saw: x\nClass:", 1),
		sample[:strings.Index(sample, "diff")],
	} {
		if _, err := parse("bad", bad); err == nil || !strings.HasPrefix(err.Error(), "bad: ") {
			t.Errorf("accepted, or the error does not name the row: %v\n%s", err, bad)
		}
	}
}

// A row counts only if its own test failed: not when nothing ran, when it was skipped, or when another one failed.
func TestRed(t *testing.T) {
	failed := errors.New("exit status 1")
	if err := red("TestA/b", "--- FAIL: TestA/b (0.00s)\n", failed); err != nil {
		t.Error(err)
	}
	for _, out := range []string{"ok  \tpkg\n", "ok  \tpkg [no tests to run]\n", "--- SKIP: TestA/b\n"} {
		if red("TestA/b", out, nil) == nil {
			t.Errorf("counts as red: %s", out)
		}
	}
	if red("TestA/b", "--- FAIL: TestB\n", failed) == nil {
		t.Error("the failure of another test counts")
	}
}

// TestRows: each row can be read, names a module and a package that exist, its patch applies, and the page lists all.
func TestRows(t *testing.T) {
	rows, err := load(os.DirFS("rows"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for _, name := range append(r.files(), filepath.Join(r.Test.Module, "go.mod")) {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
		if info, err := os.Stat(filepath.Join(root, r.Test.Module, r.Test.Package)); err != nil || !info.IsDir() {
			t.Errorf("%s: there is no package %s in %s", r.Name, r.Test.Package, r.Test.Module)
		}
		if err := r.apply(t.Context(), root, "--check"); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	golden.File(t, filepath.Join(root, "docs", "track-record.md"), table(rows))
}

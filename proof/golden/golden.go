// SPDX-License-Identifier: Apache-2.0

// Package golden compares files of this repository that are made from the code, as generated pages, with the code. With the flag -update of
// the test the files are written again.
//
//	golden.File(t, "../../docs/exit-codes.md", page())
//
// It is for tests only.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update is the flag -update.
var Update = flag.Bool("update", false, "write the files again that the test compares with the code")

// File reports an error where a file differs from its text, or writes the text with -update.
func File(t testing.TB, name, text string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Errorf("%v; write it with -update", err)
	} else if diff := cmp.Diff(string(got), text); diff != "" {
		t.Errorf("%s is out of date, write it with -update (-file +code):\n%s", name, diff)
	}
}

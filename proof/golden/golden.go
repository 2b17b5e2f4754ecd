// SPDX-License-Identifier: Apache-2.0

// Package golden compares files of this repository that are made from the code, as generated pages, with the code. With the flag -update of
// the test the files are written again.
//
//	golden.File(t, "../../docs/exit-codes.md", page())
//
// It also reads the archives in which sets of cases are frozen. It is for tests only.
package golden

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"io"
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

// Archive returns the files of a tar.gz file, by their names.
func Archive(t testing.TB, name string) map[string][]byte {
	t.Helper()
	packed, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if files[filepath.Base(h.Name)], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

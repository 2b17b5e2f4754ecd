// SPDX-License-Identifier: Apache-2.0

package house

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// repository is the root of the repository.
var repository = os.DirFS("../..")

// walk calls each with the files of the repository that are wanted, by their name below its root. Hidden folders and those with programs,
// packages of Node and what make builds are left out.
func walk(t *testing.T, wanted func(name string) bool, each func(name string, data []byte)) {
	t.Helper()
	err := fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); entry.IsDir() {
			if name != "." && (base[0] == '.' || slices.Contains([]string{"node_modules", "bin", "dist"}, base)) {
				return fs.SkipDir
			}
			return nil
		}
		if !wanted(name) {
			return nil
		}
		data, err := fs.ReadFile(repository, name)
		if err == nil {
			each(name, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isCode reports whether a file is Go and no test data.
func isCode(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.Contains("/"+name, "/testdata/")
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

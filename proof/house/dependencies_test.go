// SPDX-License-Identifier: Apache-2.0

package house

import (
	"io/fs"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// TestDependencies: docs/dependencies.md lists exactly the modules that the root module imports itself, in order, each with a reason.
func TestDependencies(t *testing.T) {
	data, err := fs.ReadFile(repository, "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, r := range file.Require {
		if !r.Indirect {
			want = append(want, r.Mod.Path)
		}
	}
	slices.Sort(want)
	page, err := fs.ReadFile(repository, "docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]{5,} \\|").FindAllStringSubmatch(string(page), -1) {
		got = append(got, m[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/dependencies.md: -go.mod +page\n%s", diff)
	}
}

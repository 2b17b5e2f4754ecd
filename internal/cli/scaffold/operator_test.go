// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// TestOperator_modules: a project of a released program requires its release; every other program uses the modules of a clone, or refuses.
func TestOperator_modules(t *testing.T) {
	clone, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]string{
		root: clone, root + "/conditions": clone + "/conditions", root + "/operator": clone + "/operator"}
	tests := map[string]struct {
		program, clone string
		required       string
		replaced       map[string]string
		refused        string
	}{
		"a release":                {program: "v0.1.0", required: "v0.1.0"},
		"a candidate of a release": {program: "v1.2.0-rc.1", required: "v1.2.0-rc.1"},
		"a development build":      {program: "v0.0.0-dev", required: "v0.0.0", replaced: ours},
		"a build without a tag":    {program: "v0.0.0-20261128101112-0123456789ab+dirty", required: "v0.0.0", replaced: ours},
		"a changed release":        {program: "v0.1.1-0.20261128101112-0123456789ab", required: "v0.0.0", replaced: ours},
		"another build":            {program: "(devel)", clone: clone, required: "v0.0.0", replaced: ours},
		"another folder":           {program: "(devel)", clone: t.TempDir(), refused: "is not a clone of Tristate"},
	}
	for name, test := range tests {
		dir := t.TempDir()
		err := Run(io.Discard, &Options{Kind: "Note.example.dev", Version: "v1", Dir: dir, Operator: true, Program: test.program, Clone: test.clone})
		if test.refused != "" {
			if err == nil || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("%s: %v, want %q", name, err, test.refused)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 0 {
				t.Errorf("%s: %d files were written", name, len(entries))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse("go.mod", data, nil)
		if err != nil {
			t.Fatal(err)
		}
		required, replaced := map[string]string{}, map[string]string(nil)
		for _, r := range file.Require {
			required[r.Mod.Path] = r.Mod.Version
		}
		for _, r := range file.Replace {
			if replaced == nil {
				replaced = map[string]string{}
			}
			replaced[r.Old.Path] = r.New.Path
		}
		if diff := cmp.Diff(map[string]string{root + "/operator": test.required}, required); diff != "" {
			t.Errorf("%s: requirements: -want +got\n%s", name, diff)
		}
		if diff := cmp.Diff(test.replaced, replaced); diff != "" {
			t.Errorf("%s: replacements: -want +got\n%s", name, diff)
		}
	}
}

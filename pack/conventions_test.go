// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tristate/tristate/pack"
	"github.com/tristate/tristate/verdict"
)

// TestConventions: kinds of well-known operators that need no pack, as conventions alone judge them.
func TestConventions(t *testing.T) {
	files, err := filepath.Glob("testdata/conventions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases, err := pack.ReadCases(file, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(filepath.Base(file)+"/"+c.Name, func(t *testing.T) {
				if v := new(verdict.Engine).Judge(c.Object, c.Now); v.Status != c.Verdict {
					t.Errorf("want %s, got %s %s by %s: %s", c.Verdict, v.Status, v.Reason, v.Rule, v.Message())
				}
			})
		}
	}
}

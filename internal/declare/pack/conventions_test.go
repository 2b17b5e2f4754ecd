// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/verdict"
)

// conventionCases returns the cases of kinds that need no pack, by file.
func conventionCases(t testing.TB) map[string][]pack.Case {
	t.Helper()
	files, err := filepath.Glob("testdata/conventions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	out := map[string][]pack.Case{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if out[filepath.Base(file)], err = pack.ReadCases(file, data); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestConventions: kinds of well-known operators that need no pack, as conventions alone judge them.
func TestConventions(t *testing.T) {
	for file, cases := range conventionCases(t) {
		for _, c := range cases {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				o := c.Run(new(verdict.Engine))
				v := &o.Verdict
				for _, wrong := range o.Wrong {
					t.Errorf("%s, by %s %s: %s", wrong, v.Rule, v.Reason, v.Message)
				}
				other := new(verdict.Engine).Judge(reversed(c.Object).(map[string]any), c.Now)
				if diff := cmp.Diff([]any{v.Status, v.Rule, v.Message}, []any{other.Status, other.Rule, other.Message}); diff != "" {
					t.Errorf("with all lists in the opposite order the answer is another one (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// reversed returns a value with the items of all lists in the opposite order.
func reversed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, x := range v {
			out[key] = reversed(x)
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, x := range slices.Backward(v) {
			out = append(out, reversed(x))
		}
		return out
	}
	return v
}

// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/read/pack"
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
				v := new(verdict.Engine).Judge(c.Object, c.Now)
				if v.Status != c.Verdict {
					t.Errorf("want %s, got %s %s by %s: %s", c.Verdict, v.Status, v.Reason, v.Rule, v.Message())
				}
				other := new(verdict.Engine).Judge(reversed(c.Object).(map[string]any), c.Now)
				if diff := cmp.Diff([]any{v.Status, v.Rule, v.Message()}, []any{other.Status, other.Rule, other.Message()}); diff != "" {
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

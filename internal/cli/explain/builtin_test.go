// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/prove/golden"
	"github.com/tristate/tristate/verdict"
)

// TestBuiltIn: each case of a kind of a standard API server is what the engine says of its object, and docs/builtin-rules.md shows the
// cases.
func TestBuiltIn(t *testing.T) {
	list, err := builtIns()
	if err != nil {
		t.Fatal(err)
	}
	var engine verdict.Engine
	for _, kind := range list {
		for _, c := range kind.Cases {
			object := map[string]any{"apiVersion": kind.APIVersion, "kind": kind.Kind}
			maps.Copy(object, c.Object)
			v := engine.Judge(object, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
			want := []string{string(c.Verdict), c.Reason, "builtin/" + kind.Kind}
			if diff := cmp.Diff(want, []string{string(v.Status), v.Reason, v.Rule}); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", kind.Kind, c.When, diff)
			}
		}
	}
	page, err := builtInPage()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/builtin-rules.md", page)
}

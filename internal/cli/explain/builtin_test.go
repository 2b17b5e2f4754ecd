// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/golden"
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

// builtInPage returns the page of docs about the rules for kinds of a standard API server.
func builtInPage() (string, error) {
	list, err := builtIns()
	if err != nil {
		return "", fmt.Errorf("built-in rules: %w", err)
	}
	var b strings.Builder
	b.WriteString("# How kinds of Kubernetes are judged\n\nGenerated from internal/cli/explain/builtin.yaml by `go test " +
		"./internal/cli/explain -run TestBuiltIn -update`; do not edit. " +
		"`tristate explain Deployment` prints the same.\n\n" +
		"The first case of a kind that applies decides. An object that is being deleted is Terminating, whatever its kind. A test judges an " +
		"object for each case. Kinds that are not\n" +
		"here have no status (ConfigMap, Role and their like are Current), or are judged by their catalog, by a rule pack or by [the " +
		"conventions](verdict-rules.md).\n")
	for _, kind := range list {
		fmt.Fprintf(&b, "\n## %s (%s)\n\n| Verdict | Reason | When |\n|---|---|---|\n", kind.Kind, kind.APIVersion)
		for _, c := range kind.Cases {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Verdict, c.Reason, c.When)
		}
	}
	return b.String(), nil
}

// SPDX-License-Identifier: Apache-2.0

package all

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/proof/checktest"
	"github.com/tristate/tristate/proof/golden"
	"github.com/tristate/tristate/systems"
)

const pages = "../../../docs/checks"

// TestValid: every check is documented, has both examples, and an id of its own.
func TestValid(t *testing.T) {
	if err := checktest.Validate(Checks); err != nil {
		t.Error(err)
	}
}

// TestRegistry: registry.txt has every id that was ever used. A new check adds a line; no line is removed, and a retired one stays retired.
func TestRegistry(t *testing.T) {
	data, err := os.ReadFile("registry.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{} // and whether it is retired
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(line, "#") {
			if _, twice := known[fields[0]]; twice {
				t.Errorf("%s stands twice in registry.txt", fields[0])
			}
			known[fields[0]] = slices.Contains(fields, "retired")
		}
	}
	for _, c := range Checks {
		retired, there := known[c.ID]
		switch {
		case retired:
			t.Errorf("%s is retired: ids are never used again", c.ID)
		case !there:
			data = fmt.Appendf(data, "%s\n", c.ID)
		}
	}
	for id, retired := range known {
		if Find(id) == nil && !retired {
			t.Errorf("%s is in registry.txt and gone: mark the line as retired", id)
		}
	}
	golden.File(t, "registry.txt", string(data))
}

// TestPages: each check has a page, which is made of its documentation and examples.
func TestPages(t *testing.T) {
	known := map[string]bool{}
	var index strings.Builder
	index.WriteString("# Checks\n\nThe checks of `tristate check`. Written by `go test ./internal/check/all -update`; the examples are run by the tests.\n\n| check | level | it holds that |\n|---|---|---|\n")
	for _, c := range Checks {
		known[c.ID+".md"] = true
		golden.File(t, filepath.Join(pages, c.ID+".md"), string(report.Page(c)))
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s |\n", c.ID, c.ID, c.Level, c.Title)
	}
	golden.File(t, filepath.Join(pages, "README.md"), index.String())
	found, err := filepath.Glob(pages + "/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name, err := filepath.Rel(pages, path)
		if err != nil || !known[filepath.ToSlash(name)] {
			t.Errorf("%s belongs to no check", path)
		}
	}
}

// TestLoaderCodes: every error of the loader is a finding of some check.
func TestLoaderCodes(t *testing.T) {
	for _, code := range []catalog.Code{"", catalog.CodeParse, catalog.CodeTypeName, catalog.CodeReasonName, catalog.CodeCase,
		catalog.CodeReasonStatus,
		catalog.CodeEmptyCell, catalog.CodeAlias, catalog.CodeSummary, catalog.CodeReserved, catalog.CodeDeprecation,
		catalog.CodeWriter,
		catalog.CodeExclusive, catalog.CodeMessage, catalog.CodeProfile} {
		e := evidence.New()
		e.File("a.yaml", []byte("apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\n"), true)
		e.Join(nil)
		e.Catalogs.Errors = catalog.Errors{{Code: code, Message: "wrong"}}
		if r := check.Run(e, Checks, check.Options{Now: checktest.Now}); len(r.Findings(check.Error)) == 0 {
			t.Errorf("no check reports the code %q of the loader", code)
		}
	}
}

// TestTenThousand: ten thousand objects are read and checked; see BenchmarkTenThousand for how fast.
func TestTenThousand(t *testing.T) {
	if r := tenThousand(t); len(r.Findings(check.Error)) > 0 {
		t.Error(report.Summary(r, check.Error))
	}
}

func BenchmarkTenThousand(b *testing.B) {
	for b.Loop() {
		tenThousand(b)
	}
}

func tenThousand(t testing.TB) *check.Report {
	t.Helper()
	files, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	var dump bytes.Buffer
	dump.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i := range 10_000 {
		if i > 0 {
			dump.WriteByte(',')
		}
		fmt.Fprintf(&dump, `
{"apiVersion":"cluster.x-k8s.io/v1beta1","kind":"Machine","metadata":{"name":"m-%d","namespace":"shop","uid":"u-%d","resourceVersion":"%d","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"cluster.x-k8s.io/cluster-name":"prod"},
"managedFields":[{"manager":"m","operation":"Update","apiVersion":"cluster.x-k8s.io/v1beta1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:clusterName":{},"f:version":{}}}}]},
"spec":{"clusterName":"prod","version":"v1.30.0","providerID":"aws:///%d"},"status":{"phase":"Running","observedGeneration":1,"conditions":[
{"type":"InfrastructureReady","status":"True","lastTransitionTime":"2026-01-01T00:10:00Z"},{"type":"BootstrapReady","status":"True","lastTransitionTime":"2026-01-01T00:10:00Z"}]}}`, i, i, i, i)
	}
	dump.WriteString("]}")
	e := evidence.New()
	e.File("dump.json", dump.Bytes(), true)
	e.Join(files)
	if len(e.Objects) != 10_000 {
		t.Fatalf("%d objects, %v", len(e.Objects), e.Unreadable)
	}
	return check.Run(e, Checks, check.Options{Now: checktest.Now})
}

// TestReference: every check of the first tier that the research note lists is there, under its id, unless it is retired.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("../../../../shared/reference/contracts.md")
	if err != nil {
		t.Skip("the note is not at hand: ../shared/reference is absent")
	}
	// which also has the changes whose rule has no check of its own
	elsewhere := map[string]string{"compat/unhandled-change": "compat/other-change"}
	registry, err := os.ReadFile("registry.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.TrimSpace(cells[2]) != "1" {
			continue
		}
		for _, id := range strings.Split(cells[1], ",") {
			id = strings.TrimSpace(id)
			if name, ok := elsewhere[id]; ok {
				id = name
			}
			if rows++; Find(id) == nil && !strings.Contains(string(registry), "\n"+id+" retired\n") {
				t.Errorf("there is no check %s", id)
			}
		}
	}
	if rows < 100 {
		t.Errorf("%d rows of the first tier were found", rows)
	}
}

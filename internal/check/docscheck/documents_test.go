// SPDX-License-Identifier: Apache-2.0

package docscheck_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/docscheck"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/proof/checktest"
	"github.com/tristate/tristate/systems"
)

var (
	group  = regexp.MustCompile(`\.[^/]*/`) // behind the kind of a subject
	status = regexp.MustCompile(`=\w+ `)    // before the reason of an addition
)

// TestDocuments: the documents that our catalogs follow have the declared names, in tables that name no kind, and one name that is edited
// is found. Faults of their examples are found as well. The additions of a catalog are not in its document.
func TestDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		catalog, document string
		old, edited       string
		want              []string
	}{
		"kars": {catalog: "kars/catalog.yaml", document: "000"},
		"kars, renamed": {catalog: "kars/catalog.yaml", document: "000", old: "CorpusBuiltinMissing", edited: "CorpusBuiltinGone", want: []string{
			"docs/undocumented KarsEval.kars.azure.com/Degraded/CorpusBuiltinMissing",
			"docs/unknown-mentioned KarsEval.kars.azure.com CorpusBuiltinGone"}},
		"vworkspace": {catalog: "vworkspace/catalog.yaml", document: "001"},
		"vworkspace, renamed": {catalog: "vworkspace/catalog.yaml", document: "001", old: "WaitingForCertificate", edited: "AwaitingCertificate",
			want: []string{
				"docs/undocumented ApplicationInstance.apps.vworkspace.io/Ready/WaitingForCertificate",
				"docs/unknown-mentioned ApplicationInstance.apps.vworkspace.io AwaitingCertificate"}},
		"kro": {catalog: "kro/catalog.yaml", document: "002", want: []string{
			"docs/example-invalid 002.md Example/ResourceGraphReady lastTransitionTime",
			"docs/example-invalid 002.md live/reason-empty Example.example/example/CustomResourceDefinitionSynced",
			"docs/example-invalid 002.md live/reason-empty Example.example/example/GraphVerified",
			"docs/example-invalid 002.md live/reason-empty Example.example/example/ReconcilerReady"}},
		"kpt": {catalog: "kpt/catalog.yaml", document: "003", want: []string{
			"docs/example-invalid 003.md Foo apiVersion",
			"docs/example-invalid 003.md Foo/Reconciling lastUpdateTime",
			"docs/example-invalid 003.md Foo/Stalled lastUpdateTime"}},
		"cluster-api": {catalog: "cluster-api/catalog.yaml", document: "004"},
	} {
		t.Run(name, func(t *testing.T) {
			names, _ := filepath.Glob("../../../../shared/seeds/" + test.document + "_*.txt")
			if len(names) != 1 {
				t.Skip("the documents are not at hand: ../shared/seeds is absent")
			}
			text, err := os.ReadFile(names[0])
			if err != nil {
				t.Fatal(err)
			}
			declared, err := systems.Catalogs.ReadFile(test.catalog)
			if err != nil {
				t.Fatal(err)
			}
			if test.old != "" {
				if !strings.Contains(string(text), test.old) {
					t.Fatalf("the document has no %s", test.old)
				}
				text = []byte(strings.ReplaceAll(string(text), test.old, test.edited))
			}
			e := evidence.New()
			e.AddCatalog(test.catalog, declared)
			e.File(test.document+".md", text, true)
			e.Join(nil)
			system, _, _ := strings.Cut(test.catalog, "/")
			additions, err := systems.Additions(system)
			if err != nil {
				t.Fatal(err)
			}
			added := map[string]bool{}
			for name := range additions {
				added[status.ReplaceAllString(strings.Replace(name, " ", "/", 1), "/")] = true
			}
			var got []string
			for _, f := range check.Run(e, docscheck.All, check.Options{Now: checktest.Now}).Findings(check.Info) {
				if f.Check.ID != "docs/undocumented" || !added[group.ReplaceAllString(f.Subject, "/")] {
					got = append(got, f.Check.ID+" "+f.Subject)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

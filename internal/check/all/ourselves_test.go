// SPDX-License-Identifier: Apache-2.0

package all

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/check"
	"github.com/tristate/tristate/internal/check/evidence"
	"github.com/tristate/tristate/internal/check/report"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/source/goscan"
	"github.com/tristate/tristate/proof/checktest"
	"github.com/tristate/tristate/systems"
)

// root is the folder of the module.
const root = "../../../"

// TestOurselves: our own catalogs, definitions, documents, generated code, rules and controllers pass our own checks, but for the
// exceptions of ours.yaml, each with an owner and an end.
func TestOurselves(t *testing.T) {
	embedded, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		embedded bool     // the catalogs that come with the command are checked
		paths    []string // below the root
		folder   string   // of code to be scanned
		sites    int      // that the scan finds at least
	}{
		"catalogs, definitions and documents": {embedded: true, paths: []string{"systems/cluster-api/crds.yaml", "internal/declare/catalog/crd.yaml", "README.md",
			"deploy"}},
		"Kubernetes":                  {paths: []string{"catalogs/kubernetes", ofKubernetes}},
		"toolpolicy and its operator": {paths: []string{"examples/toolpolicy"}, folder: "examples/toolpolicy", sites: 5},
		"migrated operators":          {paths: []string{"examples/migrate"}, folder: "examples/migrate", sites: 20},
		"kars":                        {paths: []string{"systems/kars/catalog.yaml"}, folder: "systems/kars/operator", sites: 100},
	} {
		t.Run(name, func(t *testing.T) {
			e := evidence.New()
			if test.embedded {
				for name, data := range embedded {
					e.AddCatalog(name, data)
				}
				test.paths = append(test.paths, documents(t)...)
			}
			for _, path := range append(test.paths, "internal/check/all/testdata/ours.yaml") {
				if err := e.Read([]string{root + path}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if test.folder != "" {
				scan, err := goscan.Scan(t.Context(), root+test.folder, goscan.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if resolved, total, _ := scan.Count(); total < test.sites || resolved < total {
					t.Errorf("%d of %d reason sites are resolved, want all of %d at least", resolved, total, test.sites)
				}
				e.Scanned(test.folder, scan)
			}
			e.Join(nil)
			r := check.Run(e, Checks, check.Options{Now: checktest.Now, Exceptions: e.Exceptions})
			if len(r.Findings(check.Error)) > 0 {
				t.Error(report.Text(r, e.Files, check.Error))
			}
		})
	}
}

// ofKubernetes is the page about the catalogs of Kubernetes, which are for readers: no kind is judged by them, and no other page is about
// them.
const ofKubernetes = "docs/kubernetes.md"

// documents returns the pages of docs and of systems, except that one.
func documents(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, folder := range []string{"docs", "systems"} {
		err := filepath.WalkDir(root+folder, func(path string, _ fs.DirEntry, err error) error {
			if name := strings.TrimPrefix(filepath.ToSlash(path), root); err == nil && filepath.Ext(name) == ".md" && name != ofKubernetes {
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

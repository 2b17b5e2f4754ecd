// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestSet_versions: catalogs for different versions of one kind stand side by side, and the version of an object decides which one holds.
func TestSet_versions(t *testing.T) {
	of := func(name, versions, rest string) string {
		return "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: " + name + "}\nspec:\n  for: {group: example.dev, kind: App" + versions + "}\n" + rest
	}
	tests := map[string]struct {
		first, second string
		want          map[string]string // the name of the catalog by version
		err           string
	}{
		"side by side": {of("old", ", versions: [v1]", ready), of("new", ", versions: [v2, v3]", ready),
			map[string]string{"v1": "old", "v2": "new", "v3": "new", "v4": "", "": "old"}, ""},
		"every version":   {of("all", "", ready), of("new", ", versions: [v2]", ready), map[string]string{"v1": "all", "v2": "all"}, "claimed by another catalog"},
		"one in common":   {of("old", ", versions: [v1, v2]", ready), of("new", ", versions: [v2]", ready), map[string]string{"v2": "old"}, "claimed by another catalog"},
		"a single one":    {of("old", ", versions: [v1]", ready), of("more", "", "  relations: {parts: {kind: Part.example.dev, owned: true}}\n"), map[string]string{"v1": "old", "v2": ""}, ""},
		"of no version":   {of("old", "", ready), of("more", ", versions: [v9]", "  relations: {parts: {kind: Part.example.dev, owned: true}}\n"), map[string]string{"v1": "old", "v9": "old"}, ""},
		"relations apart": {of("old", ", versions: [v1]", ready), of("more", ", versions: [v2]", "  relations: {parts: {kind: Part.example.dev, owned: true}}\n"), map[string]string{"v1": "old", "v2": "more"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, files := range []map[string][]byte{
				{"1.yaml": []byte(test.first), "2.yaml": []byte(test.second)},
			} {
				set, err := Load(files)
				if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
					t.Errorf("want error %q, got %v", test.err, err)
				}
				got := map[string]string{}
				for version := range test.want {
					got[version] = ""
					if k := set.Of(schema.GroupVersionKind{Group: "example.dev", Version: version, Kind: "App"}); k != nil {
						got[version] = k.Source.Metadata.Name
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

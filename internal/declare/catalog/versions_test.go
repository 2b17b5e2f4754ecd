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
		return "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: " + name +
			"}\nspec:\n  for: {group: example.dev, kind: App" + versions + "}\n" + rest
	}
	tests := map[string]struct {
		first, second string
		want          map[string]string // the name of the catalog by version
		err           string
	}{
		"side by side": {of("old", ", versions: [v1]", ready), of("new", ", versions: [v2, v3]", ready),
			map[string]string{"v1": "old", "v2": "new", "v3": "new", "v4": "", "": "old"}, ""},
		"every version": {of("all", "", ready), of("new", ", versions: [v2]", ready), map[string]string{"v1": "all", "v2": "all"},
			"claimed by another catalog"},
		"one in common": {of("old", ", versions: [v1, v2]", ready), of("new", ", versions: [v2]", ready), map[string]string{"v2": "old"},
			"claimed by another catalog"},
		"a single one": {of("old", ", versions: [v1]", ready), of("more", "", "  relations: {parts: {kind: Part.example.dev, owned: true}}\n"),
			map[string]string{"v1": "old", "v2": ""}, ""},
		"of no version": {of("old", "", ready), of("more", ", versions: [v9]", "  relations: {parts: {kind: Part.example.dev, owned: true}}\n"),
			map[string]string{"v1": "old", "v9": "old"}, ""},
		"relations apart": {of("old", ", versions: [v1]", ready),
			of("more", ", versions: [v2]", "  relations: {parts: {kind: Part.example.dev, owned: true}}\n"),
			map[string]string{"v1": "old", "v2": "more"}, ""},
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

// TestSet_kinds: what one document says of several kinds holds for each of them.
func TestSet_kinds(t *testing.T) {
	of := func(kinds, rest string) string {
		return "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: a}\nspec:\n  for: {group: example.dev" + kinds +
			"}\n" + rest
	}
	tests := map[string]struct {
		document string
		want     []string
		err      string
	}{
		"several":    {of(", kinds: [App, Job]", ready), []string{"App", "Job"}, ""},
		"one":        {of(", kinds: [App]", ready), []string{"App"}, ""},
		"both":       {of(", kind: App, kinds: [Job]", ready), nil, "spec.for.kinds: both kind and kinds are given"},
		"neither":    {of("", ready), nil, "spec.for: kind is missing"},
		"twice":      {of(", kinds: [App, App]", ready), nil, `kind "App" is named twice`},
		"every kind": {of(", kinds: [App, '*']", ready), nil, "every kind of a group cannot be combined"},
		"several groups": {strings.Replace(of(", kinds: [App.example.dev, '*.example.org']", ready), "group: example.dev, ", "", 1),
			[]string{"App", "*"}, ""},
		"a group twice": {of(", kinds: [App.example.dev]", ready), nil, "names a group besides spec.for.group"},
		"derived": {of(", kinds: [App, Job]",
			"  conditions:\n  - {type: Ready, meaning: It is ready., derive: {rules: [{reason: Fine}]}, reasons: [{reason: Fine, status: \"True\", meaning: It is.}]}\n"),
			nil, "one document derives conditions of several kinds"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := Load(map[string][]byte{"a.yaml": []byte(test.document)})
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("want error %q, got %v", test.err, err)
			}
			var got []string
			for _, k := range set.Kinds() {
				got = append(got, k.For.Kind)
				if k.Declaration.Kind != k.For.Kind || k.Declaration.Group != k.For.Group || k.Type("Ready") == nil {
					t.Errorf("the declaration of %s is that of %s", k.For.Kind, k.Declaration.Kind)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if again, err := NewSet(append(set.Kinds(), set.Kinds()...)...); err != nil || len(again.Kinds()) != len(got) {
				t.Errorf("kinds that are given twice: %v", err)
			}
		})
	}
}

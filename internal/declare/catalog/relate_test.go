// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	header = "apiVersion: tristate.dev/v1alpha1\nkind: ConditionCatalog\nmetadata: {name: a}\nspec:\n  for: {group: example.dev, kind: App}\n"
	ready  = "  conditions:\n  - {type: Ready, meaning: It is ready., reasons: [{reason: Fine, status: \"True\", meaning: It is.}]}\n"
)

// TestSet_relations: a catalog with nothing but relations adds them to that of the kind, in whatever order they are read.
func TestSet_relations(t *testing.T) {
	full := header + "  relations: {key: {ref: self.spec.key, kind: Secret}}\n" + ready
	tests := map[string]struct {
		first, second string
		want          []string
		err           string
	}{
		"after":  {full, header + "  relations: {parts: {kind: Part.example.dev, owned: true}}\n", []string{"key", "parts"}, ""},
		"before": {header + "  relations: {parts: {kind: Part.example.dev, owned: true}}\n", full, []string{"key", "parts"}, ""},
		"both only so": {header + "  relations: {b: {kind: B, owned: true}}\n", header + "  relations: {a: {kind: A, owned: true}}\n",
			[]string{"a", "b"}, ""},
		"same name": {full, header + "  relations: {key: {kind: Part.example.dev, owned: true}}\n", []string{"key"}, "has a catalog already"},
		"both more": {full, full, []string{"key"}, "claimed by another catalog"},
		"variables": {full, header + "  variables: {x: self.spec.x}\n  relations: {parts: {kind: Part.example.dev, owned: true}}\n",
			[]string{"key"}, "has a catalog already"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := Load(map[string][]byte{"1.yaml": []byte(test.first), "2.yaml": []byte(test.second)})
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("want error %q, got %v", test.err, err)
			}
			if set == nil {
				return
			}
			var got []string
			for _, l := range set.Kinds()[0].Relations {
				got = append(got, l.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

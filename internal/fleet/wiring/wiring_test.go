// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/wiring"
)

func catalogs() (*catalog.Set, error) {
	return catalog.Load(map[string][]byte{"kubernetes.yaml": wiring.Document})
}

// TestCatalogs: the document loads, and each kind has its part of it.
func TestCatalogs(t *testing.T) {
	whole, err := catalogs()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := catalog.Parse("", wiring.Document)
	if err != nil {
		t.Fatal(err)
	}
	parts := wiring.ByKind()
	for _, s := range sources {
		for _, gk := range s.Spec.For.All() {
			part, err := catalog.Load(map[string][]byte{"": parts[gk.Kind]})
			if err != nil {
				t.Fatal(err)
			}
			names := func(set *catalog.Set) (out []string) {
				for _, k := range set.ReadBy(gk.WithVersion("")) {
					out = append(out, k.Source.Metadata.Name)
				}
				return out
			}
			if diff := cmp.Diff(names(whole), names(part)); diff != "" {
				t.Errorf("%s: -whole +part\n%s", gk, diff)
			}
		}
	}
}

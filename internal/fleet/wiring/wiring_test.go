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

// TestScans: no relation opens every pod of a cluster to judge one object.
func TestScans(t *testing.T) {
	set, err := catalogs()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := catalog.Parse("", wiring.Document)
	if err != nil {
		t.Fatal(err)
	}
	pods := 0
	for _, s := range sources {
		for _, gk := range s.Spec.For.All() {
			for _, k := range set.ReadBy(gk.WithVersion("v1")) {
				for _, l := range k.Relations {
					if l.Target.Kind != "Pod" || l.Namespace != "any" {
						continue
					}
					if pods++; l.Scans() {
						t.Errorf("%s: relation %s finds its pods by no key", k.For, l.Name)
					}
				}
			}
		}
	}
	if pods == 0 {
		t.Error("want relations to pods of any namespace")
	}
}

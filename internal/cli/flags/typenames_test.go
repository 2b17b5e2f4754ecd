// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/input"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/systems"
)

// TestShortNames: every kind with a short name is built in or of a group that a catalog or pack knows, and the definitions that come with
// the command have no unknown short name.
func TestShortNames(t *testing.T) {
	packs, err := pack.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	note := func(set *catalog.Set) {
		for _, k := range set.Kinds() {
			known[k.For.Group] = true
		}
	}
	set, err := (&Catalogs{}).Load()
	if err != nil {
		t.Fatal(err)
	}
	note(packs)
	note(set)
	names := TypeNamesOf(nil)
	for name, kinds := range names {
		for _, gk := range kinds {
			if !catalog.OfKubernetes(gk.Group) && !known[gk.Group] && gk != ConditionCatalog && gk.Group != "serving.knative.dev" {
				t.Errorf("%s: no catalog or pack knows the group of %s", name, gk)
			}
		}
	}
	files, err := fs.Glob(systems.CRDs, "*/crds.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for _, file := range files {
		data, err := systems.CRDs.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		objects, _ := input.Parse("crds", data)
		for _, o := range objects {
			for name, kinds := range TypeNamesOf([]*relation.Object{relation.FromContent(o.Content)}) {
				for _, gk := range kinds {
					if !slices.Contains(names[name], gk) && !strings.HasPrefix(name, strings.ToLower(gk.Kind)) {
						t.Errorf("shortnames.tsv lacks %s for %s", name, gk)
					}
				}
			}
		}
	}
}

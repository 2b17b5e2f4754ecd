// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
)

// TestYAML: every shipped catalog is the same after it was written and read again, and written the same again.
func TestYAML(t *testing.T) {
	files, err := catalog.ReadFS(systems.Catalogs, ".")
	if err != nil {
		t.Fatal(err)
	}
	packs, err := catalog.ReadFS(catalogs.Packs, "packs")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range packs {
		files[name] = data
	}
	for name, data := range files {
		sources, err := catalog.Parse(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sources {
			written, err := s.YAML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := catalog.Parse("written.yaml", written)
			if err != nil || len(again) != 1 {
				t.Fatalf("%s: %v\n%s", name, err, written)
			}
			if diff := cmp.Diff(s.Document, again[0].Document); diff != "" {
				t.Errorf("%s: %s: -want +got\n%s", name, s.Metadata.Name, diff)
			}
			twice, err := again[0].YAML()
			if err != nil || string(twice) != string(written) {
				t.Errorf("%s: %s: written twice, it is not the same: %v", name, s.Metadata.Name, err)
			}
		}
	}
}

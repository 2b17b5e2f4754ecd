// SPDX-License-Identifier: Apache-2.0

package catalogs_test

import (
	"io/fs"
	"testing"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestPacks: every shipped catalog can be an object of a cluster: its name is valid and stands for it alone.
func TestPacks(t *testing.T) {
	places := map[string]string{}
	for dir, fsys := range map[string]fs.FS{".": catalogs.FS, "packs": catalogs.Packs} {
		files, err := catalog.ReadFS(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		for file, data := range files {
			sources, err := catalog.Parse(file, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sources {
				for _, wrong := range validation.IsDNS1123Subdomain(s.Metadata.Name) {
					t.Errorf("%s: %s: %s", file, s.Metadata.Name, wrong)
				}
				if other := places[s.Metadata.Name]; other != "" {
					t.Errorf("%s is the name of a catalog in %s and of one in %s", s.Metadata.Name, file, other)
				}
				places[s.Metadata.Name] = file
			}
		}
	}
}

func TestLoad(t *testing.T) {
	set, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Kinds()) == 0 {
		t.Fatal("no catalog was loaded")
	}
}

// SPDX-License-Identifier: Apache-2.0

package catalogs_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestPacks: every shipped catalog can be an object of a cluster: its name is valid and that of no other. Its file is found by its API
// group.
func TestPacks(t *testing.T) {
	places := map[string]string{}
	for dir, fsys := range map[string]fs.FS{".": systems.Catalogs, "packs": catalogs.Packs} {
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
				judges := len(s.Spec.Verdicts)+len(s.Spec.States)+len(s.Spec.Remedies) > 0
				start := "for: {group: " + s.Spec.For.Group + ","
				if s.Spec.For.Group == "" && len(s.Spec.For.Kinds) > 0 {
					start = "for: {kinds: ["
				}
				if judges && s.Spec.For.Group != catalog.AnyGroup && !bytes.Contains(data, []byte(start)) {
					t.Errorf("%s: its groups are not found: write %s ...", s.Metadata.Name, start)
				}
			}
		}
	}
}

// TestLoad: every expression of the shipped catalogs compiles, and they agree with each other. The command compiles each when it uses it
// first.
func TestLoad(t *testing.T) {
	for dir, fsys := range map[string]fs.FS{".": systems.Catalogs, "packs": catalogs.Packs, "kubernetes": catalogs.Kubernetes} {
		set, err := catalog.LoadFS(fsys, dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Kinds()) == 0 {
			t.Fatalf("no catalog was loaded from %s", dir)
		}
	}
}

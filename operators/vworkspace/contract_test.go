// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/catalog"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/docs"
	"github.com/tristate/tristate/internal/gen"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const page = "../../docs/systems/vworkspace.md"

// TestCheck: the definitions keep the contract. TestCheck of kars checks the code of the whole module.
// The names that two checks of catalogs advise against are those of the document.
func TestCheck(t *testing.T) {
	var stdout, stderr bytes.Buffer
	app := cli.New()
	app.Out, app.Err = &stdout, &stderr
	if code := app.Run(context.Background(), []string{"check", catalogFile, "config/crd", "--no-embedded", "--skip",
		"crd/printer-summary,catalog/reason-is-type,catalog/reason-near-duplicate"}); code != 0 ||
		!bytes.HasPrefix(stdout.Bytes(), []byte("nothing found")) {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
}

// TestConformance: the conditions are a list of the six standard fields, keyed by type, in a status subresource.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("config/crd/*.yaml")
	if err != nil || len(files) != len(kinds) {
		t.Fatalf("%d definitions for %d kinds, %v", len(files), len(kinds), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(data, &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			status := v.Schema.OpenAPIV3Schema.Properties["status"]
			list := status.Properties["conditions"]
			switch {
			case list.XListType == nil || *list.XListType != "map" || !cmp.Equal(list.XListMapKeys, []string{"type"}):
				t.Errorf("%s: the conditions are not a map keyed by type", crd.Spec.Names.Kind)
			case len(list.Items.Schema.Properties) != 6:
				t.Errorf("%s: a condition has not the six standard fields", crd.Spec.Names.Kind)
			case v.Subresources == nil || v.Subresources.Status == nil || len(v.AdditionalPrinterColumns) == 0:
				t.Errorf("%s: no status subresource or no columns", crd.Spec.Names.Kind)
			}
		}
	}
}

// TestGenerated: the passes are those of the catalog.
func TestGenerated(t *testing.T) {
	for _, k := range declared(t) {
		file := filepath.Join("internal", gen.PackageName(k), "zz_generated.go")
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := gen.Go(k, "", "vworkspace.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is not up to date: run go generate ./...", file)
		}
	}
}

// TestPage: the tables of the page are those of the catalog.
func TestPage(t *testing.T) {
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want, err := docs.Update(page, string(have), declared(t))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if line, got, wants := docs.Difference(string(have), want); line != 0 {
		t.Errorf("%s:%d: %q, want %q; UPDATE=1 writes it", page, line, got, wants)
	}
}

func declared(t *testing.T) []*catalog.Kind {
	t.Helper()
	data, err := os.ReadFile(catalogFile)
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Load(map[string][]byte{"vworkspace.yaml": data})
	if err != nil {
		t.Fatal(err)
	}
	return set.Kinds()
}

// SPDX-License-Identifier: Apache-2.0

package contract

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/cli"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/gen"
	"github.com/tristate/tristate/internal/declare/source/scan"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// definitions is the folder of an operator's definitions.
const definitions = "config/crd"

// skipped are the checks that advise against names, which the documents decide.
const skipped = "crd/printer-summary,catalog/reason-is-type,catalog/reason-near-duplicate"

// Operator is an operator that is held to its catalog.
type Operator struct {
	Catalog string // file
	Kinds   int    // in Catalog
}

// Check runs tristate check over the catalog, the definitions and further files and flags: it has to find nothing.
func (o Operator) Check(t *testing.T, more ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	app := cli.New()
	app.Out, app.Err, app.Scan = &stdout, &stderr, scan.Folder
	code := app.Run(t.Context(), append([]string{"check", o.Catalog, definitions, "--no-embedded", "--skip", skipped}, more...))
	if code != 0 || !strings.HasPrefix(stdout.String(), "nothing found") {
		t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
	}
	if slices.Contains(more, "--source") && strings.Contains(stdout.String(), "no source") {
		t.Errorf("the code was not read:\n%s%s", stdout.String(), stderr.String())
	}
}

// Conformance checks criterion C3 of the CNCF suite with its neighbours C1, C2, C5, C6 and C10, and one that the suite leaves out: the
// conditions are a list of the six standard fields that is keyed by type.
func (o Operator) Conformance(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(definitions + "/*.yaml")
	if err != nil || len(files) != o.Kinds {
		t.Fatalf("%d definitions for %d kinds, %v", len(files), o.Kinds, err)
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
		kind := crd.Spec.Names.Kind
		for _, v := range crd.Spec.Versions {
			status := v.Schema.OpenAPIV3Schema.Properties["status"]
			list := status.Properties["conditions"]
			switch {
			case list.Type != "array":
				t.Errorf("C3: %s has no conditions[]", kind)
			case list.XListType == nil || *list.XListType != "map" || !cmp.Equal(list.XListMapKeys, []string{"type"}):
				t.Errorf("%s: the conditions are not a map keyed by type", kind)
			case len(list.Items.Schema.Properties) != 6:
				t.Errorf("%s: a condition has not the six standard fields", kind)
			case !v.Served || !v.Storage || len(v.AdditionalPrinterColumns) == 0 || v.Subresources == nil || v.Subresources.Status == nil ||
				!bytes.Contains(data, []byte("x-kubernetes-validations")) || crd.Labels["app.kubernetes.io/name"] == "":
				t.Errorf("C1, C2, C5, C6 or C10: %s", kind)
			}
		}
	}
}

// Generated compares the generated passes below internal with those of the catalog.
func (o Operator) Generated(t *testing.T) {
	t.Helper()
	for _, k := range o.Declared(t) {
		file := filepath.Join("internal", gen.PackageName(k), "zz_generated.go")
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := gen.Go(k, "", filepath.Base(o.Catalog))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s is not up to date: run go generate ./...", file)
		}
	}
}

// Declared returns the kinds of the catalog.
func (o Operator) Declared(t *testing.T) []*catalog.Kind {
	t.Helper()
	data, err := os.ReadFile(o.Catalog)
	if err != nil {
		t.Fatal(err)
	}
	set, err := catalog.Load(map[string][]byte{filepath.Base(o.Catalog): data})
	if err != nil {
		t.Fatal(err)
	}
	return set.Kinds()
}

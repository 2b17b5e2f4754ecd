// SPDX-License-Identifier: Apache-2.0

package systems_test

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/systems"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// definitions reads the CRDs of a file, strictly.
func definitions(t *testing.T, name string) []apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	data, err := fs.ReadFile(systems.CRDs, name)
	if err != nil {
		t.Fatal(err)
	}
	var out []apiextensionsv1.CustomResourceDefinition
	for _, document := range bytes.Split(data, []byte("\n---\n"))[1:] {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(document, &crd); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, crd)
	}
	return out
}

// Each kind of the Cluster API catalog has a CRD whose conditions are a list map with a closed status and severity.
func TestClusterAPIDefinitions(t *testing.T) {
	set, err := catalog.LoadFS(systems.Catalogs, "cluster-api/catalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[schema.GroupKind]bool{}
	for _, kind := range set.Kinds() {
		want[kind.For] = true
	}
	got := map[schema.GroupKind]bool{}
	for _, crd := range definitions(t, "cluster-api/crds.yaml") {
		got[schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}] = true
		for _, version := range crd.Spec.Versions {
			if version.Subresources == nil || version.Subresources.Status == nil {
				t.Errorf("%s: %s has no status subresource", crd.Name, version.Name)
			}
			conditions := version.Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"]
			if conditions.XListType == nil || *conditions.XListType != "map" {
				t.Errorf("%s: conditions are not a list map", crd.Name)
			}
			if diff := cmp.Diff([]string{"type"}, conditions.XListMapKeys); diff != "" {
				t.Errorf("%s: keys of the conditions: -want +got\n%s", crd.Name, diff)
			}
			item := conditions.Items.Schema
			if diff := cmp.Diff([]string{"lastTransitionTime", "status", "type"}, item.Required); diff != "" {
				t.Errorf("%s: required: -want +got\n%s", crd.Name, diff)
			}
			for field, values := range map[string][]string{"status": {"True", "False", "Unknown"}, "severity": {"Error", "Warning", "Info", ""}} {
				var enum []string
				for _, value := range item.Properties[field].Enum {
					var text string
					if err := yaml.Unmarshal(value.Raw, &text); err != nil {
						t.Errorf("%s: %s: %v", crd.Name, field, err)
					}
					enum = append(enum, text)
				}
				if diff := cmp.Diff(values, enum); diff != "" {
					t.Errorf("%s: enum of %s: -want +got\n%s", crd.Name, field, diff)
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds with a CRD: -want +got\n%s", diff)
	}
}

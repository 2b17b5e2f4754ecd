// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/crd"
	"sigs.k8s.io/yaml"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: SCOPE
  names: {kind: Widget, plural: widgets, shortNames: [wg]}
  versions:
  - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {properties: {status: {properties: {conditions: LIST}}}}}}
  - {name: v2, served: true, schema: {openAPIV3Schema: {properties: {spec: {type: object}}}}}
  - {name: v3, served: false}
status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "ESTABLISHED"}]}
`

func read(t *testing.T, pairs ...string) (*crd.Definition, error) {
	t.Helper()
	text := strings.NewReplacer(append(pairs, "SCOPE", "Namespaced", "ESTABLISHED", "True", "LIST", "{}")...).Replace(widgets)
	var content map[string]any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return crd.Read(content)
}

func TestDefinition(t *testing.T) {
	d, err := read(t)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{d.GroupKind().String(), d.Established(), d.Namespaced(), d.Served(), d.Stored(), d.Words(), d.Mapping("v2").Resource.String()}
	want := []any{"Widget.example.org", true, true, []string{"v2", "v1beta1"}, "v1beta1", []string{"widgets", "widget", "widget", "wg"},
		"example.org/v2, Resource=widgets"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestListIsMap(t *testing.T) {
	path := []string{"status", "conditions"}
	for name, tt := range map[string]struct {
		list, version string
		want          bool
	}{
		"by type":          {"{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}", "v1beta1", true},
		"another version":  {"{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}", "v2", false},
		"no such version":  {"{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}", "v4", false},
		"by two keys":      {"{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type, reason]}", "v1beta1", false},
		"a set":            {"{x-kubernetes-list-type: set}", "v1beta1", false},
		"nothing declared": {"{}", "v1beta1", false},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := read(t, "LIST", tt.list)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.ListIsMap(tt.version, path); got != tt.want {
				t.Errorf("want %t, got %t", tt.want, got)
			}
		})
	}
}

func TestEstablished(t *testing.T) {
	for name, pairs := range map[string][]string{
		"not established": {"ESTABLISHED", "False"},
		"being deleted":   {"{name: widgets.example.org}", "{name: widgets.example.org, deletionTimestamp: \"2026-01-02T03:04:05Z\"}"},
	} {
		if d, err := read(t, pairs...); err != nil || d.Established() {
			t.Errorf("%s: established, %v", name, err)
		}
	}
	if d, err := read(t, "SCOPE", "Cluster"); err != nil || d.Namespaced() {
		t.Errorf("cluster-scoped: namespaced, %v", err)
	}
	if _, err := crd.Read(map[string]any{"metadata": []any{}}); err == nil {
		t.Error("a definition with odd metadata was read")
	}
}

func TestStatusSchema(t *testing.T) {
	type want struct {
		Known, Subresource bool
		Properties         []string
	}
	const v1 = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - {name: v1, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {}}}, status: {properties: {phase: {}, conditions: {}}}}}}}
  - {name: v1alpha1, schema: {openAPIV3Schema: {properties: {spec: {}}}}}
  - {name: v1beta1, subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {status: {x-kubernetes-preserve-unknown-fields: true}}}}}
`
	const once = `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  group: example.org
  version: v1
  names: {kind: Widget, plural: widgets}
  validation: {openAPIV3Schema: {properties: {status: {properties: {state: {type: string}}}}}}
  subresources: {status: {}}
`
	const each = `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  version: v1
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {properties: {status: {properties: {state: {type: string}}}}}}}
  - {name: v2, served: true, subresources: {status: {}}}
`
	for name, tt := range map[string]struct {
		definition, version string
		want                want
	}{
		"the storage version":            {v1, "", want{true, true, []string{"conditions", "phase"}}},
		"without a status":               {v1, "v1alpha1", want{true, false, nil}},
		"a status without properties":    {v1, "v1beta1", want{true, true, nil}},
		"no such version":                {v1, "v9", want{}},
		"v1beta1, one for all":           {once, "v1", want{true, true, []string{"state"}}},
		"v1beta1, the storage version":   {once, "", want{true, true, []string{"state"}}},
		"v1beta1, for each, the storage": {each, "", want{true, false, []string{"state"}}},
		"v1beta1, for each, another":     {each, "v2", want{true, true, nil}},
		"v1beta1, no such version":       {once, "v2", want{}},
	} {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			if err := yaml.Unmarshal([]byte(tt.definition), &content); err != nil {
				t.Fatal(err)
			}
			for _, read := range []func(map[string]any) (*crd.Definition, error){crd.Read, crd.ReadWhole} {
				d, err := read(content)
				if err != nil {
					t.Fatal(err)
				}
				var got want
				got.Known, got.Subresource, got.Properties = d.StatusSchema(tt.version)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

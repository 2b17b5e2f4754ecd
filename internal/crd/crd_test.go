// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/crd"
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

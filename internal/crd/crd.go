// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"cmp"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// Kind and Resource are those of definitions.
var (
	Kind     = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	Resource = schema.GroupVersionResource{Group: Kind.Group, Version: "v1", Resource: "customresourcedefinitions"}
)

// Definition is a definition without the parts that [Prune] drops.
type Definition apiextensions.CustomResourceDefinition

// Read decodes a definition. It is an error where a field has a type that no definition can have.
func Read(content map[string]any) (*Definition, error) {
	out := &apiextensions.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(Prune(content), out); err != nil {
		return nil, err
	}
	return (*Definition)(out), nil
}

// Prune returns a definition without the schema of fields other than the status, without columns and without conversion.
func Prune(content map[string]any) map[string]any {
	spec, _ := content["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	pruned := make([]any, 0, len(versions))
	for _, v := range versions {
		m, _ := v.(map[string]any)
		s, _ := m["schema"].(map[string]any)
		root, _ := s["openAPIV3Schema"].(map[string]any)
		properties, _ := root["properties"].(map[string]any)
		pruned = append(pruned, map[string]any{"name": m["name"], "served": m["served"], "storage": m["storage"],
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"properties": map[string]any{"status": properties["status"]}}}})
	}
	return map[string]any{"apiVersion": content["apiVersion"], "kind": content["kind"], "metadata": content["metadata"], "status": content["status"],
		"spec": map[string]any{"group": spec["group"], "names": spec["names"], "scope": spec["scope"], "versions": pruned}}
}

// Established reports whether objects of the kind are served: the definition is established and not being deleted.
func (d *Definition) Established() bool {
	return d.DeletionTimestamp == nil && slices.ContainsFunc(d.Status.Conditions, func(c apiextensions.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensions.Established && c.Status == apiextensions.ConditionTrue
	})
}

// GroupKind returns the kind that the definition defines.
func (d *Definition) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}
}

// Namespaced reports whether objects of the kind have a namespace.
func (d *Definition) Namespaced() bool { return d.Spec.Scope == apiextensions.NamespaceScoped }

// Served returns the served versions in the order in which the API server prefers them.
func (d *Definition) Served() []string {
	var out []string
	for _, v := range d.Spec.Versions {
		if v.Served && v.Name != "" {
			out = append(out, v.Name)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	return out
}

// Stored returns the version in which objects are stored, if it is served, else the first served version in the order of the definition; empty
// where none is served.
func (d *Definition) Stored() string {
	stored := ""
	for _, v := range d.Spec.Versions {
		if v.Served && (v.Storage || stored == "") {
			stored = v.Name
		}
	}
	return stored
}

// ListIsMap reports whether the API server merges the list at a path of the status by the key type, in one of the versions.
func (d *Definition) ListIsMap(version string, path []string) bool {
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if v.Name != version || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		at := *v.Schema.OpenAPIV3Schema
		for _, field := range path {
			at = at.Properties[field]
		}
		return at.XListType != nil && *at.XListType == "map" && slices.Equal(at.XListMapKeys, []string{"type"})
	}
	return false
}

// Words returns the names of the type in lower case: plural, singular, kind and short names.
func (d *Definition) Words() []string {
	names, kind := &d.Spec.Names, strings.ToLower(d.Spec.Names.Kind)
	return slices.Concat([]string{names.Plural, cmp.Or(names.Singular, kind), kind}, names.ShortNames)
}

// Mapping returns the type in one of its versions.
func (d *Definition) Mapping(version string) *meta.RESTMapping {
	gv := schema.GroupVersion{Group: d.Spec.Group, Version: version}
	scope := meta.RESTScopeRoot
	if d.Namespaced() {
		scope = meta.RESTScopeNamespace
	}
	return &meta.RESTMapping{Resource: gv.WithResource(d.Spec.Names.Plural), GroupVersionKind: gv.WithKind(d.Spec.Names.Kind), Scope: scope}
}

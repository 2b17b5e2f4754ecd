// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/nested"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// Kind and Resource name CustomResourceDefinitions in the API.
var (
	Kind     = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	Resource = schema.GroupVersionResource{Group: Kind.Group, Version: "v1", Resource: "customresourcedefinitions"}
)

// Definition is a definition in its version v1.
type Definition apiextensionsv1.CustomResourceDefinition

// scheme converts definitions of version v1beta1.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, v1beta1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // a type of the library is registered twice
		}
	}
	return s
}()

// Read decodes a definition without the parts that [Prune] drops. It is an error where a field has a type that no definition can have.
func Read(content map[string]any) (*Definition, error) { return ReadWhole(Prune(content)) }

// ReadWhole decodes a definition with all its parts.
func ReadWhole(content map[string]any) (*Definition, error) {
	out := &apiextensionsv1.CustomResourceDefinition{}
	from := runtime.DefaultUnstructuredConverter.FromUnstructured
	if content["apiVersion"] != v1beta1.SchemeGroupVersion.String() {
		err := from(content, out)
		return (*Definition)(out), err
	}
	old, internal := &v1beta1.CustomResourceDefinition{}, &apiextensions.CustomResourceDefinition{}
	if err := from(content, old); err != nil {
		return nil, err
	}
	scheme.Default(old)
	if err := scheme.Convert(old, internal, nil); err != nil {
		return nil, err
	}
	err := scheme.Convert(internal, out, nil)
	return (*Definition)(out), err
}

// Prune returns a definition without the schema of fields other than the status, without columns and without conversion, which are most of
// its size.
func Prune(content map[string]any) map[string]any {
	spec := keep(content["spec"], "group", "names", "scope", "version", "subresources")
	status := func(schema any) map[string]any {
		s, _ := schema.(map[string]any)
		properties := nested.Map(s, "openAPIV3Schema", "properties")
		return map[string]any{"openAPIV3Schema": map[string]any{"properties": map[string]any{"status": properties["status"]}}}
	}
	from := nested.Map(content, "spec")
	if from["validation"] != nil {
		spec["validation"] = status(from["validation"])
	}
	versions := nested.List(from, "versions")
	pruned := make([]any, 0, len(versions))
	for _, v := range versions {
		one := keep(v, "name", "served", "storage", "subresources")
		if m, _ := v.(map[string]any); m["schema"] != nil {
			one["schema"] = status(m["schema"])
		}
		pruned = append(pruned, one)
	}
	spec["versions"] = pruned
	out := keep(content, "apiVersion", "kind", "metadata", "status")
	out["spec"] = spec
	return out
}

// keep returns the fields of a map that have one of some names.
func keep(from any, names ...string) map[string]any {
	out := map[string]any{}
	m, _ := from.(map[string]any)
	for _, name := range names {
		if v, ok := m[name]; ok {
			out[name] = v
		}
	}
	return out
}

// StatusSchema returns what a version promises of the status of its objects: whether it has the status subresource, and the names of the
// properties of its status schema, in order. An empty version selects the storage version; known is false if the definition does not have
// the version.
func (d *Definition) StatusSchema(version string) (known, subresource bool, properties []string) {
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if version == "" && !v.Storage || version != "" && v.Name != version {
			continue
		}
		known, subresource = true, v.Subresources != nil && v.Subresources.Status != nil
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			properties = slices.Sorted(maps.Keys(v.Schema.OpenAPIV3Schema.Properties["status"].Properties))
		}
	}
	return known, subresource, properties
}

// Established reports whether objects of the kind are served: the definition is established and not being deleted.
func (d *Definition) Established() bool {
	return d.DeletionTimestamp == nil &&
		slices.ContainsFunc(d.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
		})
}

// GroupKind returns the kind that the definition defines.
func (d *Definition) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}
}

// Namespaced reports whether objects of the kind have a namespace.
func (d *Definition) Namespaced() bool { return d.Spec.Scope == apiextensionsv1.NamespaceScoped }

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

// Stored returns the version in which objects are stored, if it is served, else the first served version in the order of the definition;
// empty where none is served.
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

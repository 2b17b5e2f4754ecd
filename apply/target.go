// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"strings"

	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Target says how objects of a kind are written.
type Target struct {
	Resource   schema.GroupVersionResource
	Kind       string
	Namespaced bool
	// ListMap: the API server merges the conditions list by type (x-kubernetes-list-type: map).
	ListMap bool
	Path    []string         // of the conditions list, from the object's root
	Own     *conditions.Kind // its types that are not foreign are ours
}

// owns tells whether a type, or the type that it is an alias of, is ours.
func (t Target) owns(name string) bool {
	for i := range t.Own.Types {
		declared := &t.Own.Types[i]
		if declared.Foreign {
			continue
		}
		if declared.Name == name {
			return true
		}
		for _, alias := range declared.Aliases {
			if alias == name {
				return true
			}
		}
	}
	return false
}

// list gives the conditions list of a decoded object.
func (t Target) list(object map[string]any) []any {
	var at any = object
	for _, field := range t.Path {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[field]
	}
	list, _ := at.([]any)
	return list
}

// with puts a value at the path into nested maps.
func (t Target) with(root map[string]any, value any) {
	at := root
	for _, field := range t.Path[:len(t.Path)-1] {
		next, ok := at[field].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[field] = next
		}
		at = next
	}
	at[t.Path[len(t.Path)-1]] = value
}

// ListIsMap reads from a CustomResourceDefinition whether the list at path is a map keyed by type, in one of its versions.
func ListIsMap(crd map[string]any, version string, path []string) bool {
	spec, _ := crd["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	for _, v := range versions {
		m, _ := v.(map[string]any)
		if name, _ := m["name"].(string); name != version {
			continue
		}
		s, _ := m["schema"].(map[string]any)
		node, _ := s["openAPIV3Schema"].(map[string]any)
		for _, field := range path {
			properties, _ := node["properties"].(map[string]any)
			node, _ = properties[field].(map[string]any)
		}
		kind, _ := node["x-kubernetes-list-type"].(string)
		keys, _ := node["x-kubernetes-list-map-keys"].([]any)
		return kind == "map" && len(keys) == 1 && keys[0] == "type"
	}
	return false
}

// ParsePath splits a dotted path; the empty one is status.conditions.
func ParsePath(path string) []string {
	if path == "" {
		path = "status.conditions"
	}
	return strings.Split(path, ".")
}

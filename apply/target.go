// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	Foreign []string         // status fields that other writers own, for [Status.ApplyStatus]
}

// find returns the position of a declared type in a list, by its name or else by an alias; or -1.
func (t Target) find(list []conditions.Condition, name string) int {
	if i := conditions.Find(list, name); i >= 0 {
		return i
	}
	for i := range list {
		if t.Own.OwnedType(list[i].Type) == name {
			return i
		}
	}
	return -1
}

// splice puts our entries into a stored list: in the place of those that are there, or with ordered in their order into these places, and
// behind the others where they are new. Those of ours that are not to be kept go. Entries of others stay as they are, also those that
// cannot be read.
func (t Target) splice(stored []any, own []conditions.Condition, ordered bool) []any {
	ours := map[string]any{} // stored entries that are not written yet, by declared type
	for _, entry := range slices.Backward(stored) {
		ours[t.Own.OwnedType(typeOf(entry))] = entry
	}
	next := make([]any, 0, len(stored)+len(own))
	placed := make([]bool, len(own))
	place := func(i int) {
		if i < 0 || placed[i] {
			return
		}
		if placed[i] = true; conditions.Find(own, own[i].Type) < i { // a kind written as a Go value may declare a type twice
			return
		}
		if was, _ := wire.FromUnstructured([]any{ours[own[i].Type]}); len(was) == 1 && equal(was[0], own[i]) {
			next = append(next, ours[own[i].Type])
		} else {
			next = append(next, wire.ToUnstructured(own[i], t.Own.Dialect))
		}
	}
	for _, entry := range stored {
		switch declared := t.Own.OwnedType(typeOf(entry)); {
		case declared == "":
			next = append(next, entry)
		case ordered:
			place(slices.Index(placed, false))
		default:
			place(conditions.Find(own, declared))
		}
	}
	for i := range own {
		place(i)
	}
	return next
}

// typeOf returns the condition type of an entry of a decoded list; empty where it has none.
func typeOf(entry any) string {
	m, _ := entry.(map[string]any)
	name, _ := m["type"].(string)
	return name
}

// Preview returns a decoded object with our entries in its list as a write would leave them; an empty list goes. The original stays as it
// is.
func (t Target) Preview(object map[string]any, own []conditions.Condition) map[string]any {
	out := maps.Clone(object)
	at := out
	for _, field := range t.Path[:len(t.Path)-1] {
		below, _ := at[field].(map[string]any)
		next := make(map[string]any, len(below)+1)
		maps.Copy(next, below)
		at[field], at = next, next
	}
	last := t.Path[len(t.Path)-1]
	if at[last] = t.splice(t.list(object), own, true); len(at[last].([]any)) == 0 {
		delete(at, last)
	}
	return out
}

// list returns the conditions list of a decoded object.
func (t Target) list(object map[string]any) []any {
	found, _, _ := unstructured.NestedFieldNoCopy(object, t.Path...)
	list, _ := found.([]any)
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

// ParsePath splits a dotted path; the empty one is status.conditions.
func ParsePath(path string) []string {
	if path == "" {
		path = "status.conditions"
	}
	return strings.Split(path, ".")
}

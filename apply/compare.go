// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// indexes has the places of the fields of each struct type by JSON name: reflect.Type to map[string][]int.
var indexes sync.Map

// indexOf returns the positions of the exported fields of a struct by JSON name, including the fields of embedded
// structs.
func indexOf(t reflect.Type) map[string][]int {
	if known, ok := indexes.Load(t); ok {
		return known.(map[string][]int)
	}
	index := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if outer, hidden := index[name]; name == "" || name == "-" || !f.IsExported() || hidden && len(outer) <= len(f.Index) {
			continue
		}
		index[name] = f.Index
	}
	indexes.Store(t, index)
	return index
}

// fieldOf returns the field of a struct with a JSON name; an invalid value if the struct does not have it.
func fieldOf(v reflect.Value, name string) reflect.Value {
	if !v.IsValid() {
		return v
	}
	index, ok := indexOf(v.Type())[name]
	if !ok {
		return reflect.Value{}
	}
	field, err := v.FieldByIndexErr(index)
	if err != nil { // in an embedded struct, by a nil pointer
		return reflect.Value{}
	}
	return field
}

// statusOf returns the status of a typed object; not valid: it has none.
func statusOf(object metav1.Object) reflect.Value {
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	status := reflect.Indirect(fieldOf(v.Elem(), "status"))
	if status.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return status
}

// jsonSource returns a status for an encoder; nil for one that is not valid.
func jsonSource(status reflect.Value) any {
	if !status.IsValid() {
		return nil
	}
	return status.Addr().Interface()
}

// left returns true if a field of a typed status is not written from it: the conditions, the waits, and what others own; and the observed
// generation, where the status has none and a write adds it.
func (t Target) left(name string, value reflect.Value) bool {
	switch {
	case name == t.Path[len(t.Path)-1] && len(t.Path) == 2:
		return true
	case t.Own == nil:
	case name == waitsField && t.Own.StatusWaits, name == generationField && t.Own.StatusGeneration && value.IsZero():
		return true
	}
	return slices.Contains(t.Foreign, name)
}

// differs returns true if an object has another status than a typed one, or is behind in its observed generation. Equal values have equal
// JSON. Only if a value differs, the JSON of both is compared: an empty list may be omitted, and a time has whole seconds.
func (t Target) differs(object metav1.Object, status any) bool {
	stored, wanted := statusOf(object), reflect.ValueOf(status).Elem()
	for name := range indexOf(wanted.Type()) {
		have, want := fieldOf(stored, name), fieldOf(wanted, name)
		if t.left(name, want) || sameValue(have, want) {
			continue
		}
		fields, err := t.typed(status)
		return err != nil || t.behind(object, fields) || fields.differ(object)
	}
	if given := fieldOf(wanted, generationField); given.IsValid() && !given.IsZero() {
		return false
	}
	return t.behind(object, nil)
}

// sameValue returns true if two values have one type and are equal, so that their JSON is, too. A nil list differs from an empty one.
func sameValue(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return false
	}
	if a.Comparable() && a.Equal(b) { // allocates nothing
		return true
	}
	return equality.Semantic.DeepEqualWithNilDifferentFromEmpty(a.Interface(), b.Interface())
}

// typed returns the fields of a typed status that a write has.
func (t Target) typed(status any) (Fields, error) {
	fields, err := FieldsOf(status, t.Foreign...)
	if err != nil {
		return nil, err
	}
	wanted := reflect.ValueOf(status).Elem()
	for name := range fields {
		if t.left(name, fieldOf(wanted, name)) {
			delete(fields, name)
		}
	}
	return fields, nil
}

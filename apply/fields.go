// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Fields are the status fields besides the conditions that an operator owns, by name, as values that encode to JSON. All of them are given
// each time, for one that is left out is given up. A nil value says that the field is to be absent.
//
// They go in the same request as the conditions. They are compared with the object that was read, so that an unchanged pass
// sends nothing.
type Fields map[string]any

// differ returns true if an object has other values. Of a typed object only the fields in question are read.
func (f Fields) differ(object metav1.Object) bool {
	if len(f) == 0 {
		return false
	}
	if u, ok := object.(runtime.Unstructured); ok {
		return f.differIn(u.UnstructuredContent())
	}
	status := statusOf(object)
	if status.IsValid() && layoutOf(status.Type()).whole {
		return f.differIn(map[string]any{"status": addressed(status)})
	}
	for name, value := range f {
		if f.differsFrom(status, name, value) {
			return true
		}
	}
	return false
}

// differsFrom returns true if a status has another value of a field.
func (f Fields) differsFrom(status reflect.Value, name string, value any) bool {
	var stored reflect.Value
	if status.IsValid() {
		if known := layoutOf(status.Type()).byName[name]; known != nil {
			if v := known.of(status); !known.absent(v) {
				stored = v
			}
		}
	}
	wanted := reflect.ValueOf(value)
	switch {
	case !stored.IsValid() || !wanted.IsValid():
		return stored.IsValid() || plain(value) != nil
	case wanted.Type() == stored.Type():
		return !sameValue(stored, wanted)
	case stored.Kind() == reflect.Pointer && wanted.Type() == stored.Type().Elem():
		return !sameValue(stored.Elem(), wanted)
	}
	return !reflect.DeepEqual(plain(addressed(stored)), plain(value))
}

// differIn is differ for a decoded object.
func (f Fields) differIn(content map[string]any) bool {
	if len(f) == 0 {
		return false
	}
	stored, _ := plain(content["status"]).(map[string]any)
	wanted, _ := plain(f).(map[string]any)
	for name, value := range wanted {
		if !reflect.DeepEqual(stored[name], value) {
			return true
		}
	}
	return false
}

// plain is a value as JSON has it; nil where it has none, which a write will then say.
func plain(value any) any {
	data, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(data, &out) != nil {
		return nil
	}
	return out
}

// FieldsOf returns the fields of a typed status, given as a pointer, without the conditions and those in without. A field is absent where
// its type omits it: with a pointer an absent field and a zero differ.
func FieldsOf(status any, without ...string) (Fields, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		return nil, fmt.Errorf("status %T: %w", status, err)
	}
	l := layoutOf(reflect.TypeOf(status).Elem())
	if !l.whole { // the converter has unexported fields, too
		maps.DeleteFunc(content, func(name string, _ any) bool { return l.byName[name] == nil })
	}
	for _, f := range l.fields {
		if _, present := content[f.name]; !present {
			content[f.name] = nil
		}
	}
	for _, name := range append(without, "conditions") {
		delete(content, name)
	}
	return content, nil
}

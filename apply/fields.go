// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Fields are the status fields, other than the conditions, that an operator owns. They are values that encode to
// JSON, by name. A caller passes all of them each time, because a field that is left out is given up. A nil value
// says that the field is to be absent.
//
// They go in the same request as the conditions. They are compared with the object that was read, so that an unchanged pass
// sends nothing.
type Fields map[string]any

// differ returns true if an object has other values. The JSON of a typed object is compared only if a value differs from its field.
func (f Fields) differ(object metav1.Object) bool {
	if u, ok := object.(runtime.Unstructured); ok {
		return f.differIn(u.UnstructuredContent())
	}
	status := statusOf(object)
	for name, value := range f {
		if !sameValue(fieldOf(status, name), reflect.ValueOf(value)) {
			return f.differIn(map[string]any{"status": jsonSource(status)})
		}
	}
	return false
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
// its type omits it: with a pointer an absent field and a zero differ. All fields of the type are exported, as those of any API type.
func FieldsOf(status any, without ...string) (Fields, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		return nil, fmt.Errorf("status %T: %w", status, err)
	}
	for name := range indexOf(reflect.TypeOf(status).Elem()) {
		if _, present := content[name]; !present {
			content[name] = nil
		}
	}
	for _, name := range append(without, "conditions") {
		delete(content, name)
	}
	return content, nil
}

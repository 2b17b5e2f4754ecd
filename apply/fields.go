// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Fields are the status fields besides the conditions that an operator owns, by name, as values that encode to JSON. All of them are given
// each time, for one that is left out is given up. A nil value says that the field is to be absent.
//
// They go in the same request as the conditions. They are compared with the object that was read, so that an unchanged pass
// sends nothing.
type Fields map[string]any

// present are the fields that are to be there.
func (f Fields) present() map[string]any {
	out := make(map[string]any, len(f))
	for name, value := range f {
		if value != nil {
			out[name] = value
		}
	}
	return out
}

// differ reports whether an object has other values.
func (f Fields) differ(object metav1.Object) bool {
	if len(f) == 0 {
		return false
	}
	if u, ok := object.(*unstructured.Unstructured); ok {
		return f.differIn(u.Object)
	}
	content, _ := plain(object).(map[string]any)
	return f.differIn(content)
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

// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// conditionValue is a condition as a map of texts. Most expressions read one or two of its fields, which are looked up when they are read;
// every other operation on it is one of the complete map.
type conditionValue struct {
	conditionType, status string
	m                     map[string]any // nil where the object does not report it
}

// whole returns the condition as a map.
func (v conditionValue) whole() traits.Mapper {
	out := make(map[string]string, len(conditionFields))
	for _, field := range conditionFields {
		out[field], _ = v.field(field)
	}
	m, _ := types.DefaultTypeAdapter.NativeToValue(out).(traits.Mapper)
	return m
}

var conditionFields = [...]string{"type", "status", "reason", "message", "severity", "lastTransitionTime"}

// field returns a field of the condition, empty where the condition lacks it.
func (v conditionValue) field(name string) (text string, ok bool) {
	switch name {
	case "type":
		return v.conditionType, true
	case "status":
		return v.status, true
	case "reason", "message", "severity", "lastTransitionTime":
		text, _ = v.m[name].(string)
		return text, true
	}
	return "", false
}

func (v conditionValue) Find(key ref.Val) (ref.Val, bool) {
	name, _ := key.(types.String)
	if text, ok := v.field(string(name)); ok {
		return types.String(text), true
	}
	return v.whole().Find(key)
}

func (v conditionValue) Get(key ref.Val) ref.Val {
	if text, ok := v.Find(key); ok {
		return text
	}
	return v.whole().Get(key)
}

func (v conditionValue) Contains(key ref.Val) ref.Val { return v.whole().Contains(key) }
func (v conditionValue) ConvertToNative(to reflect.Type) (any, error) {
	return v.whole().ConvertToNative(to)
}
func (v conditionValue) ConvertToType(to ref.Type) ref.Val { return v.whole().ConvertToType(to) }
func (v conditionValue) Equal(other ref.Val) ref.Val       { return v.whole().Equal(other) }
func (v conditionValue) Iterator() traits.Iterator         { return v.whole().Iterator() }
func (v conditionValue) Size() ref.Val                     { return v.whole().Size() }
func (v conditionValue) Type() ref.Type                    { return types.MapType }
func (v conditionValue) Value() any                        { return v.whole().Value() }

// SPDX-License-Identifier: Apache-2.0

package child

import (
	"reflect"
	"strings"
)

// unclaim removes from the content of a typed object what the author has not set: a field that its type calls optional and that is zero,
// also where it is a struct, which JSON has in any case, and null. What is applied is claimed, and a claim to a zero value would take the
// field from other writers. With a pointer a zero and a field that is not set differ.
func unclaim(v reflect.Value, content any) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch content := content.(type) {
	case map[string]any:
		switch v.Kind() {
		case reflect.Struct:
			unclaimFields(v, content)
		case reflect.Map:
			for i := v.MapRange(); i.Next(); {
				if i.Key().Kind() == reflect.String {
					unclaim(i.Value(), content[i.Key().String()])
				}
			}
		}
	case []any:
		if v.Kind() == reflect.Slice && v.Len() == len(content) {
			for i := range content {
				unclaim(v.Index(i), content[i])
			}
		}
	}
}

func unclaimFields(v reflect.Value, content map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			unclaim(v.Field(i), content)
			continue
		case name == "":
			name = f.Name
		}
		value, there := content[name]
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch {
		case !there:
		case value == nil || optional && v.Field(i).IsZero():
			delete(content, name)
		default:
			unclaim(v.Field(i), value)
		}
	}
}

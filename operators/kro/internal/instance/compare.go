// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// within reports whether each value of want is in have.
func within(want, have any) bool { return differs(want, have, "") == "" }

// differs returns the path of the first value of want that have lacks; empty if there is none. Lists have the same length and are compared
// by position: the API server keeps the order of what is applied, and what it adds at the end of a list is worth an apply.
func differs(want, have any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok && (len(w) > 0 || have != nil) {
			return path
		}
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if w[k] == nil {
				continue
			}
			if at := differs(w[k], h[k], path+"."+k); at != "" {
				return at
			}
		}
		return ""
	case []any:
		h, ok := have.([]any)
		if !ok && (len(w) > 0 || have != nil) || len(w) != len(h) {
			return path
		}
		for i := range w {
			if at := differs(w[i], h[i], fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
		return ""
	}
	if !reflect.DeepEqual(number(want), number(have)) {
		return path
	}
	return ""
}

// number converts integers to float64: CEL and the JSON decoder yield different types.
func number(v any) any {
	switch n := v.(type) {
	case int64:
		return float64(n)
	case int:
		return float64(n)
	}
	return v
}

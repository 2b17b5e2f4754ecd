// SPDX-License-Identifier: Apache-2.0

// Package nested reads members of decoded objects: the value at a path of maps, as one type. Where a member is missing or of another type,
// the result is the zero value. Nothing is copied. Only Set changes an object.
package nested

// At returns the value at a path; for an empty path the value itself.
func At(value any, path ...string) any {
	for _, key := range path {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	return value
}

// Set sets the value at a path of at least one key. A member on the way that is missing, or that is not a map, is replaced by an empty map.
func Set(object map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, ok := object[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			object[key] = next
		}
		object = next
	}
	object[path[len(path)-1]] = value
}

// Map returns a map.
func Map(value any, path ...string) map[string]any {
	m, _ := At(value, path...).(map[string]any)
	return m
}

// List returns a list.
func List(value any, path ...string) []any { list, _ := At(value, path...).([]any); return list }

// Text returns a string.
func Text(value any, path ...string) string { s, _ := At(value, path...).(string); return s }

// Number returns a number without its fraction.
func Number(value any, path ...string) int64 {
	switch n := At(value, path...).(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

// Maps returns the maps of a list.
func Maps(value any, path ...string) (out []map[string]any) {
	for _, item := range List(value, path...) {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

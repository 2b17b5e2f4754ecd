// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// ListPath is where an object has its conditions lists: "status.conditions", or one for each element of other lists, as in
// "status.listeners[*].conditions".
type ListPath struct{ steps []pathStep }

type pathStep struct {
	name string
	each bool // an element of the list of that name
}

// parseListPath reads names joined by dots, each of letters, digits, "_" and "-". "[*]" follows the name of a list,
// except the last name, which is the conditions list.
func parseListPath(path string) (ListPath, error) {
	var p ListPath
	for name := range strings.SplitSeq(path, ".") {
		name, each := strings.CutSuffix(name, "[*]")
		if name == "" || strings.ContainsFunc(name, func(r rune) bool {
			return !strings.ContainsRune("_-", r) && !('0' <= r && r <= '9') && !('a' <= r|0x20 && r|0x20 <= 'z' && r < 128)
		}) {
			return ListPath{}, fmt.Errorf("list path %q: %q is not a name", path, name)
		}
		p.steps = append(p.steps, pathStep{name, each})
	}
	if p.steps[len(p.steps)-1].each {
		return ListPath{}, fmt.Errorf("list path %q: ends in [*], where the conditions list itself must stand", path)
	}
	return p, nil
}

func (p ListPath) String() string {
	var b strings.Builder
	for i, step := range p.steps {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step.name)
		if step.each {
			b.WriteString("[*]")
		}
	}
	return b.String()
}

// Many reports whether the path has a "[*]", so that an object has any number of lists.
func (p ListPath) Many() bool {
	return slices.ContainsFunc(p.steps, func(s pathStep) bool { return s.each })
}

// names are the names on the path, without "[*]".
func (p ListPath) names() []string {
	names := make([]string, len(p.steps))
	for i, step := range p.steps {
		names[i] = step.name
	}
	return names
}

// ListLocation is one conditions list of an object.
type ListLocation struct {
	// Path is its place in the object: "status.listeners[1].conditions".
	Path string
	// Key names the element that holds it, whatever its position: its name ("http"), or else its texts and the fields of its
	// references ("controllerName=example.com/c,parentRef.name=gw"). Elements within elements are joined with "/". It is empty
	// where the path has no element, and need not be unique.
	Key string
	// List is the list, or nil if the object has no such list yet.
	List []any
}

// lists returns the conditions lists of a decoded object, in the order of the object, also those that do not exist yet in
// elements that do. It never panics; a value of another form is left out.
func (p ListPath) lists(object map[string]any) []ListLocation {
	var w walk
	if len(p.steps) > 0 {
		w.enter(object, p.steps, "", nil)
	}
	return w
}

type walk []ListLocation

// enter looks at a value whose path ends in a dot, or is empty, and whose elements have keys.
func (w *walk) enter(m map[string]any, steps []pathStep, path string, keys []string) {
	step := steps[0]
	path += step.name
	v := m[step.name]
	list, isList := v.([]any)
	switch {
	case len(steps) == 1:
		if isList || v == nil {
			*w = append(*w, ListLocation{Path: path, Key: strings.Join(keys, "/"), List: list})
		}
	case step.each:
		for i, element := range list {
			if m, ok := element.(map[string]any); ok {
				w.enter(m, steps[1:], index(path, i)+".", append(slices.Clip(keys), elementKey(m)))
			}
		}
	default:
		if m, ok := v.(map[string]any); ok || v == nil {
			w.enter(m, steps[1:], path+".", keys)
		}
	}
}

// elementKey names an element of a list by fields that do not change with its status.
func elementKey(m map[string]any) string {
	if name, ok := m["name"].(string); ok && name != "" {
		return name
	}
	var parts []string
	for field, v := range m {
		switch v := v.(type) {
		case string:
			parts = append(parts, field+"="+v)
		case map[string]any:
			if !strings.HasSuffix(field, "Ref") {
				continue
			}
			for name, v := range v {
				switch v.(type) {
				case string, int64, float64, bool:
					parts = append(parts, fmt.Sprintf("%s.%s=%v", field, name, v))
				}
			}
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

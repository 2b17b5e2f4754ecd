// SPDX-License-Identifier: Apache-2.0

package input

import (
	"fmt"
	"path/filepath"
	"strings"
)

// value adds the content of a document: an object, a list of objects, or nothing.
func (r *reader) value(file string, line int, value any, lenient bool) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		if len(v) > 0 {
			r.object(file, line, "", v, lenient)
		}
	case []any:
		if !lenient {
			r.items(file, []int{line}, "", v, nil)
		}
	default:
		if !lenient {
			r.fail(file, line, fmt.Errorf("not an object but %s", what(value)))
		}
	}
}

// object adds an object or a list. where is its position in a list.
func (r *reader) object(file string, line int, where string, content map[string]any, lenient bool) {
	apiVersion, kind, name := text(content, "apiVersion"), text(content, "kind"), nameOf(content)
	items, isList := content["items"]
	places, havePlaces := items.(*placed)
	if havePlaces {
		content["items"] = places.values
	}
	if isList && name == "" && (strings.HasSuffix(kind, "List") || havePlaces && kind == "" && apiVersion != "" || kind == "" && !lenient) {
		list, ok := content["items"].([]any)
		switch {
		case havePlaces:
			r.items(file, places.lines, where, list, content)
		case ok:
			r.items(file, []int{line}, where, list, content)
		case items != nil:
			r.fail(file, line, fmt.Errorf("%sitems is %s, not a list", where, what(items)))
		}
		return
	}
	switch {
	case lenient && where == "" && (apiVersion == "" || kind == "" || strings.HasPrefix(apiVersion, "kustomize.config.k8s.io/")):
	case kind == "":
		r.fail(file, line, fmt.Errorf("%sno kind", where))
	case apiVersion == "":
		r.fail(file, line, fmt.Errorf("%s%s has no apiVersion", where, kind))
	case name == "":
		r.name(file, line, content)
		r.objects = append(r.objects, Object{content, file, line})
	default:
		r.objects = append(r.objects, Object{content, file, line})
	}
}

// items adds the items of a list; one without a kind has that of the list. lines are those of the items, or one for
// all.
func (r *reader) items(file string, lines []int, where string, items []any, list map[string]any) {
	kind := strings.TrimSuffix(text(list, "kind"), "List")
	for i, item := range items {
		line := lines[min(i, len(lines)-1)]
		at := fmt.Sprintf("%sitems[%d]: ", where, i)
		content, ok := item.(map[string]any)
		if !ok {
			r.fail(file, line, fmt.Errorf("%snot an object but %s", at, what(item)))
			continue
		}
		if text(content, "kind") == "" && kind != "" {
			content["kind"] = kind
		}
		if text(content, "apiVersion") == "" && kind != "" {
			content["apiVersion"] = text(list, "apiVersion")
		}
		r.object(file, line, at, content, false)
	}
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// nameOf returns the name of an object.
func nameOf(content map[string]any) string {
	metadata, _ := content["metadata"].(map[string]any)
	return text(metadata, "name")
}

// name gives an object without a name, such as a fixture or a template with generateName, one made of its file and line.
func (r *reader) name(file string, line int, content map[string]any) {
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		content["metadata"] = metadata
	}
	name := fmt.Sprintf("%s(%s:%d)", text(metadata, "generateName"), filepath.Base(file), line)
	if r.unnamed == nil {
		r.unnamed = map[string]int{}
	}
	if r.unnamed[name]++; r.unnamed[name] > 1 {
		name = fmt.Sprintf("%s#%d", name, r.unnamed[name])
	}
	metadata["name"] = name
}

func what(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "a truth value"
	}
	return "a number"
}

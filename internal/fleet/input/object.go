// SPDX-License-Identifier: Apache-2.0

package input

import (
	"fmt"
	"path/filepath"
	"strings"
)

// value takes in the content of a document: an object, a list of objects, or nothing.
func (r *reader) value(p part) {
	switch v := p.value.(type) {
	case nil:
	case map[string]any:
		if len(v) > 0 {
			r.object(p, "", v)
		}
	case []any:
		if !p.lenient {
			r.items(p, "", v, nil)
			return
		}
		for _, p.value = range v {
			r.value(p)
		}
	default:
		if !p.lenient {
			r.fail(p.file, p.line, fmt.Errorf("not an object but %s", what(v)))
		}
	}
}

// object takes in an object, or a list that is decoded whole. where is its position in a list.
func (r *reader) object(p part, where string, content map[string]any) {
	apiVersion, kind, name := text(content, "apiVersion"), text(content, "kind"), nameOf(content)
	items, hasItems := content["items"]
	if hasItems && name == "" && (strings.HasSuffix(kind, "List") || kind == "" && !p.lenient) {
		if list, ok := items.([]any); ok {
			r.items(p, where, list, content)
		} else if items != nil {
			r.fail(p.file, p.line, fmt.Errorf("%sitems is %s, not a list", where, what(items)))
		}
		return
	}
	switch {
	case p.lenient && where == "" && isOther(content):
	case kind == "":
		r.fail(p.file, p.line, fmt.Errorf("%sno kind", where))
	case apiVersion == "":
		r.fail(p.file, p.line, fmt.Errorf("%s%s has no apiVersion", where, kind))
	case name == "":
		r.name(p.file, p.line, content)
		r.found(Object{content, p.file, p.line})
	default:
		r.found(Object{content, p.file, p.line})
	}
}

// isOther reports whether a document in a folder is none of an object: what makes an object of it, apiVersion and kind, or a part of
// that with
// metadata, is missing; or it belongs to kustomize or to Helm.
func isOther(content map[string]any) bool {
	apiVersion, kind := text(content, "apiVersion"), text(content, "kind")
	_, hasMetadata := content["metadata"].(map[string]any)
	switch {
	case strings.HasPrefix(apiVersion, "kustomize.config.k8s.io/"):
		return true
	case kind == "" && !hasMetadata && text(content, "name") != "" && text(content, "version") != "":
		return true // Chart.yaml
	}
	return apiVersion == "" && !hasMetadata
}

// items takes in the items of a list that is decoded whole.
func (r *reader) items(p part, where string, items []any, list map[string]any) {
	for i, value := range items {
		p.value = value
		r.inList(p, fmt.Sprintf("%sitems[%d]: ", where, i), list)
	}
}

// listed takes in the next item of a list.
func (r *reader) listed(p part) {
	l := &r.list
	if p.value == nil && p.decoding == nil && p.text != nil {
		p.decode(r.decoder)
	}
	where := fmt.Sprintf("items[%d]: ", l.count)
	if l.count++; p.decoding != nil {
		r.undecoded(p)
		return
	}
	if l.start.array && p.lenient {
		r.value(p)
		return
	}
	r.inList(p, where, l.fields)
}

// inList takes in an item of a list; one without a kind has that of the list.
func (r *reader) inList(p part, where string, list map[string]any) {
	content, ok := p.value.(map[string]any)
	if !ok {
		r.fail(p.file, p.line, fmt.Errorf("%snot an object but %s", where, what(p.value)))
		return
	}
	kind := strings.TrimSuffix(text(list, "kind"), "List")
	if text(content, "kind") == "" && kind != "" {
		content["kind"] = kind
	}
	if text(content, "apiVersion") == "" && kind != "" {
		content["apiVersion"] = text(list, "apiVersion")
	}
	p.lenient = false
	r.object(p, where, content)
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

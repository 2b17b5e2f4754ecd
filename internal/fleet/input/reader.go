// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
	yamlv3 "go.yaml.in/yaml/v3"
)

// reader builds objects of decoded parts, in order.
type reader struct {
	decoder *decoder
	found   func(Object)
	errors  []*Error
	unnamed map[string]int // objects without a name, by the name that they get
	list    list
}

// list is the list whose parts come in.
type list struct {
	start  part
	fields map[string]any
	open   bool   // it is known to be a list and no object with a field "items", so that items are objects as they come
	count  int    // of items that are objects already
	held   []part // items that wait until it is known, and their size in bytes
	size   int
	shared []part // items in YAML with an anchor, which later ones may refer to
	torn   []part // an item that is no YAML alone, with everything after it
}

// mostHeld is the size in bytes of a list that is held until the kind and the name of its document are known. An API server does not
// store an
// object as large, so a larger one is a list.
const mostHeld = 4 << 20

func (r *reader) fail(file string, line int, err error) {
	r.errors = append(r.errors, &Error{file, line, err})
}

// part takes in the next part.
func (r *reader) part(p part) {
	l := &r.list
	switch p.form {
	case fault:
		r.fail(p.file, p.line, p.err)
	case whole:
		if p.decoding != nil {
			r.undecoded(p)
			return
		}
		r.value(p)
	case begin:
		*l = list{start: p, fields: map[string]any{}}
		if p.decoding != nil && p.yaml {
			l.torn = []part{}
			return
		}
		r.merge(p)
		l.open = p.array || l.fields["metadata"] != nil && strings.HasSuffix(text(l.fields, "kind"), "List") && nameOf(l.fields) == ""
	case item:
		switch {
		case l.torn != nil, p.yaml && p.decoding != nil && r.isTorn(p):
			l.torn = append(l.torn, p)
			return
		case p.yaml && hasAnchor(p.text):
			l.shared = append(l.shared, p)
		}
		r.item(p)
	case end:
		if l.torn != nil {
			p = r.rejoin(p)
		}
		r.merge(p)
		r.ended(p)
		*l = list{}
	}
}

// merge adds the fields of a list before or after its items.
func (r *reader) merge(p part) {
	if p.decoding != nil {
		r.undecoded(p)
		return
	}
	more, _ := p.value.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(more)) {
		if _, twice := r.list.fields[key]; twice || key == "items" {
			r.fail(p.file, p.line, &twiceError{key})
			continue
		}
		r.list.fields[key] = more[key]
	}
}

// item takes in an item of a list.
func (r *reader) item(p part) {
	l := &r.list
	if l.open {
		r.listed(p)
		return
	}
	if l.size += len(p.text); l.size > mostHeld && len(l.held) > 0 {
		if first, _ := l.held[0].value.(map[string]any); text(first, "kind") != "" {
			r.release()
			r.listed(p)
			return
		}
		p.value = nil // the kind of the list, which comes last, is that of the items; they are decoded again
	}
	l.held = append(l.held, p)
}

// release makes objects of the items that were held.
func (r *reader) release() {
	l := &r.list
	l.open = true
	for _, p := range l.held {
		r.listed(p)
	}
	l.held = nil
}

// ended takes in the end of a list, all of whose fields are known.
func (r *reader) ended(p part) {
	l := &r.list
	kind, apiVersion := text(l.fields, "kind"), text(l.fields, "apiVersion")
	isList := nameOf(l.fields) == "" && (strings.HasSuffix(kind, "List") || kind == "" && (!p.lenient || apiVersion != "" || l.holdsObjects()))
	switch {
	case l.open && !l.start.array && !isList:
		r.fail(p.file, l.start.line, fmt.Errorf("the field items of %s/%s is larger than %d MiB and was read as a list", kind, nameOf(l.fields),
			mostHeld>>20))
	case l.open:
	case isList:
		r.release()
	default:
		items := make([]any, 0, len(l.held))
		for _, p := range l.held {
			if p.decoding != nil {
				r.undecoded(p)
				return
			}
			items = append(items, p.value)
		}
		l.fields["items"] = items
		r.object(l.start, "", l.fields)
	}
}

// holdsObjects reports whether an item that was held is an object.
func (l *list) holdsObjects() bool {
	return slices.ContainsFunc(l.held, func(p part) bool {
		content, _ := p.value.(map[string]any)
		return text(content, "apiVersion") != "" && text(content, "kind") != ""
	})
}

// undecoded reports why a part could not be decoded.
func (r *reader) undecoded(p part) {
	if p.yaml {
		r.yamlError(p.file, p.text, p.decoding, func(line int) int { return p.line + line - 1 })
		return
	}
	err := p.decoding
	if _, twice := errors.AsType[*twiceError](err); !twice {
		err = fmt.Errorf("not JSON: %w", err)
	}
	r.fail(p.file, p.line, err)
}

// isTorn reports whether an item in YAML is no YAML alone, as opposed to YAML that holds a fault of its own.
func (r *reader) isTorn(p part) bool {
	var root yamlv3.Node
	text := bytes.Clone(p.text)
	text[p.indent] = ' '
	return yamlv3.Unmarshal(text, &root) != nil
}

// hasAnchor reports whether YAML may have an anchor.
func hasAnchor(text []byte) bool {
	for i := bytes.IndexByte(text, '&'); i >= 0 && i+1 < len(text); {
		if i > 0 && bytes.IndexByte([]byte(" \t[{,"), text[i-1]) >= 0 && text[i+1] > ' ' {
			return true
		}
		next := bytes.IndexByte(text[i+1:], '&')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

// rejoin decodes the rest of a list in YAML as one document, with the fields before it and the items that have anchors. Its end is the
// result, with
// the fields that have not come in.
func (r *reader) rejoin(p part) part {
	l := &r.list
	data := append(bytes.Clone(l.start.text), l.start.lead...)
	for _, shared := range l.shared {
		data = append(data, shared.text...)
	}
	before := bytes.Count(data, []byte("\n"))
	ahead := bytes.Count(l.start.text, []byte("\n")) + bytes.Count(l.start.lead, []byte("\n"))
	line := p.line
	if len(l.torn) > 0 {
		line = l.torn[0].line
	}
	for _, torn := range l.torn {
		data = append(data, torn.text...)
	}
	data = append(data, p.text...)
	p.value, p.text = nil, nil
	value, err := r.decoder.yaml(data)
	if p.decoding = nil; err != nil {
		r.yamlError(p.file, data, err, func(n int) int {
			if n <= ahead {
				return l.start.line + n - 1
			}
			return line + max(n-before, 1) - 1
		})
		return p
	}
	fields, _ := value.(map[string]any)
	items, _ := fields["items"].([]any)
	for key := range l.fields {
		delete(fields, key)
	}
	delete(fields, "items")
	p.value = fields
	for _, value := range items[min(len(l.shared), len(items)):] {
		r.item(part{form: item, file: p.file, line: line, lenient: p.lenient, value: value})
	}
	return p
}

// yamlError reports the errors of YAML that could not be read, with their lines in the file: its syntax, repeated keys, and keys that
// are no text.
func (r *reader) yamlError(file string, data []byte, err error, place func(line int) int) {
	n, message := catalog.YAMLError(err)
	if n == 0 {
		found := len(r.errors)
		var root yamlv3.Node
		if yamlv3.Unmarshal(data, &root) == nil {
			r.keys(file, place, &root)
		}
		if len(r.errors) > found {
			return
		}
	}
	r.fail(file, place(max(n, 1)), errors.New("not YAML: "+message))
}

// keys reports the keys below a node that JSON cannot have.
func (r *reader) keys(file string, place func(line int) int, n *yamlv3.Node) {
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yamlv3.MappingNode && i%2 == 0 {
			switch {
			case child.Kind != yamlv3.ScalarNode && child.Kind != yamlv3.AliasNode:
				err := errors.New("not YAML: the key of a map is a map or a list; is this a template that has not been rendered?")
				r.fail(file, place(child.Line), err)
				return
			case seen[child.Value] && child.Tag != "!!merge":
				r.fail(file, place(child.Line), fmt.Errorf("key %q is given twice", child.Value))
			}
			seen[child.Value] = true
		}
		r.keys(file, place, child)
	}
}

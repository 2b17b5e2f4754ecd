// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// decoder fills a document from its nodes, by the json tags of the model and these:
//
//	required:"true"      the key must be there
//	unless:"sets"        the key must be there unless the other one is
//	enum:"a,b"           the string, or each of the list, is one of these
//	minimum:"1"          the least number
//	minLength:"1"        the string is not empty
//	format:"duration"    the string is a Go duration, not negative
//	format:"source"      the string is owner/repository@commit, path, see [ParseOrigin]
//	cel:"bool"           the string, or each of the map, is an expression: its characters can be found in the file
//	limit:"reasons"      each item counts among the reasons of the document, which limits has; an expression counts as one
type decoder struct {
	text   *text // nil for an object
	source *Source
	nodes  int            // that may still be read
	counts map[string]int // of what limits has
	errors Errors
	seen   map[Error]bool
}

// field is a key that a struct has.
type field struct {
	name string
	tag  reflect.StructTag
	at   int
}

func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && f.IsExported() {
			out = append(out, field{name, f.Tag, i})
		}
	}
	return out
}

// resolve follows an alias to its anchor.
func resolve(n *yaml.Node) *yaml.Node {
	for range 100 { // an alias leads to a node at once; this is for trees built by hand
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			return n
		}
		n = n.Alias
	}
	return n
}

// value decodes n into v, which the model's types bound in depth: an alias that contains itself ends there.
func (d *decoder) value(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	if d.nodes--; d.nodes < 0 {
		if d.nodes == -1 {
			d.fail(n, path, "", "document has more than %d values, with those that aliases repeat", maxNodes)
		}
		return
	}
	if v.Kind() == reflect.Struct || v.Kind() == reflect.String {
		d.count(n, path, tag)
	}
	d.mark(path, n)
	n = resolve(n)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		d.fail(n, path, "give it a value or leave the key out", "%s is empty", last(path))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.nodes++
		d.value(n, v.Elem(), path, tag)
	case reflect.Struct:
		d.object(n, v, path)
	case reflect.Map:
		d.entries(n, v, path, tag)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.wrong(n, path, "a list")
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
		for i, item := range n.Content {
			d.value(item, v.Index(i), index(path, i), tag)
		}
	default:
		d.scalar(n, v, path, tag)
	}
}

// count adds one to what the tag counts. No further value is decoded once there are too many.
func (d *decoder) count(n *yaml.Node, path string, tag reflect.StructTag) {
	of := tag.Get("limit")
	if tag.Get("cel") != "" {
		of = "expressions"
	}
	most, limited := limits[of]
	if !limited {
		return
	}
	if d.counts[of]++; d.counts[of] > most {
		d.fail(n, path, "a kind with so many is generated: declare those that people read", "document has more than %d %s", most, of)
		d.nodes = -1
	}
}

// object decodes a mapping whose keys are the fields of a struct.
func (d *decoder) object(n *yaml.Node, v reflect.Value, path string) {
	fields := fieldsOf(v.Type())
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	meant := map[string]bool{} // fields that are given, even if misspelt
	ok := d.pairs(n, path, func(key, value *yaml.Node, at string) {
		for _, f := range fields {
			if f.name == key.Value {
				meant[f.name] = true
				d.value(value, v.Field(f.at), at, f.tag)
				return
			}
		}
		if instead := removed[v.Type().Name()+"."+key.Value]; instead != "" {
			d.fail(key, at, instead, "the format has no key %q any more", key.Value)
			return
		}
		meant[nearest(key.Value, names)] = true
		d.fail(key, at, suggest(key.Value, names), "unknown key %q", cut(key.Value))
	})
	for _, f := range fields {
		unless := f.tag.Get("unless")
		if ok && (f.tag.Get("required") == "true" || unless != "" && !meant[unless]) && !meant[f.name] {
			d.fail(n, child(path, f.name), d.example(f), "%s is missing", f.name)
		}
	}
}

// example suggests how a missing field is written, where its tag says so.
func (d *decoder) example(f field) string {
	switch values := strings.Split(f.tag.Get("enum"), ","); {
	case values[0] == "":
		return ""
	case len(values) == 1:
		return "add " + f.name + ": " + values[0]
	default:
		return suggest("", values)
	}
}

// entries decodes a mapping with keys of the author's choice.
func (d *decoder) entries(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	v.Set(reflect.MakeMap(v.Type()))
	d.pairs(n, path, func(key, value *yaml.Node, at string) {
		entry := reflect.New(v.Type().Elem()).Elem()
		d.value(value, entry, at, tag)
		v.SetMapIndex(reflect.ValueOf(key.Value), entry)
	})
}

// pairs calls do for each key of a mapping that is a string and occurs for the first time.
func (d *decoder) pairs(n *yaml.Node, path string, do func(key, value *yaml.Node, at string)) bool {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, path, "a mapping")
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), n.Content[i+1]
		switch {
		case key.Tag == "!!merge":
			d.fail(key, path, "write the keys out", `merge key "<<" is not supported`)
			continue
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
			d.fail(key, path, quoted(key), "key is %s, want a string", describeNode(key))
			continue
		}
		at := child(path, key.Value)
		if first, twice := lines[key.Value]; twice {
			where := "the first one is in line " + strconv.Itoa(first)
			d.fail(key, at, where, "key %q is given twice", cut(key.Value))
			continue
		}
		lines[key.Value] = d.place(key).Line
		do(key, value, at)
	}
	return true
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, path string, tag reflect.StructTag) {
	have := n.ShortTag()
	if n.Kind != yaml.ScalarNode {
		have = ""
	}
	switch v.Kind() {
	case reflect.String:
		if have != "!!str" {
			d.wrong(n, path, "a string")
			return
		}
		v.SetString(n.Value)
		d.content(n, path, tag)
	case reflect.Bool:
		var b bool
		if have != "!!bool" || n.Decode(&b) != nil {
			d.wrong(n, path, "true or false")
			return
		}
		v.SetBool(b)
	case reflect.Int:
		var number int
		if have != "!!int" || n.Decode(&number) != nil {
			d.wrong(n, path, "a whole number")
			return
		}
		if least, err := strconv.Atoi(tag.Get("minimum")); err == nil && number < least {
			d.fail(n, path, "", "%s is %d, less than %d", last(path), number, least)
		}
		v.SetInt(int64(number))
	default: // a type that the model does not have
		d.fail(n, path, "", "%s cannot be decoded into %s", last(path), v.Type())
	}
}

// content checks a string against the tags of its field.
func (d *decoder) content(n *yaml.Node, path string, tag reflect.StructTag) {
	if tag.Get("cel") != "" {
		d.anchors(path, n)
	}
	if tag.Get("minLength") == "1" && n.Value == "" {
		d.fail(n, path, "", "%s is empty", last(path))
	}
	if enum := tag.Get("enum"); enum != "" {
		values := strings.Split(enum, ",")
		for _, v := range values {
			if v == n.Value {
				return
			}
		}
		d.fail(n, path, suggest(n.Value, values), "unknown %s %q", last(path), cut(n.Value))
	}
	if tag.Get("format") == "source" {
		if _, err := ParseOrigin(n.Value); err != nil {
			d.fail(n, path, "write for example cert-manager/cert-manager@1a2b3c4, pkg/apis/certmanager/v1", "%q: %v", cut(n.Value), err)
		}
	}
	if tag.Get("format") == "duration" {
		switch duration, err := time.ParseDuration(n.Value); {
		case err != nil:
			d.fail(n, path, "write for example 30s, 5m or 1h30m", "%q is not a duration", cut(n.Value))
		case duration < 0:
			d.fail(n, path, "", "duration %s is negative", n.Value)
		}
	}
}

func (d *decoder) wrong(n *yaml.Node, path, want string) {
	suggestion := ""
	if want == "a string" {
		suggestion = quoted(n)
	}
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content) && suggestion == ""; i += 2 {
		suggestion = removed[capital(last(path))+"."+n.Content[i].Value]
	}
	d.fail(n, path, suggestion, "%s is %s, want %s", last(path), describeNode(n), want)
}

// quoted suggests quotes around something that without them is not a string.
func quoted(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Value == "" || strings.ContainsAny(n.Value, "\"\\\n") {
		return ""
	}
	value := n.Value
	if n.ShortTag() == "!!bool" { // the statuses are spelt like this
		value = strings.ToUpper(value[:1]) + strings.ToLower(value[1:])
	}
	return fmt.Sprintf("write it in quotes: %q", cut(value))
}

func describeNode(n *yaml.Node) string {
	switch n = resolve(n); n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
	default:
		return "nothing"
	}
	switch tag := n.ShortTag(); tag {
	case "!!str":
		return "a string"
	case "!!bool":
		return "a bool (" + cut(n.Value) + ")"
	case "!!int", "!!float":
		return "a number (" + cut(n.Value) + ")"
	case "!!timestamp":
		return "a date (" + cut(n.Value) + ")"
	case "!!null":
		return "empty"
	default:
		return "of type " + cut(tag)
	}
}

// last is the name at the end of a path.
func last(path string) string {
	if strings.HasSuffix(path, "]") {
		return "item of " + last(parent(path))
	}
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[i+1:]
	}
	if path == "" {
		return "document"
	}
	return path
}

func child(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

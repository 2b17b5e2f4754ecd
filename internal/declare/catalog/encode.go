// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
)

// YAML writes a document as a person would, with its keys in the order of the model and without empty values. What [Parse]
// reads of it is the same document.
func (d *Document) YAML() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(encode(reflect.ValueOf(*d))); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// encode returns a value of the model as a node.
func encode(v reflect.Value) *yaml.Node {
	switch v.Kind() {
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Struct:
		out := &yaml.Node{Kind: yaml.MappingNode}
		for _, f := range fieldsOf(v.Type()) {
			value := v.Field(f.at)
			if value.IsZero() && f.tag.Get("required") != "true" || (value.Kind() == reflect.Slice || value.Kind() == reflect.Map) &&
				value.Len() == 0 {
				continue
			}
			out.Content = append(out.Content, scalar(f.name), encode(value))
		}
		return out
	case reflect.Slice:
		out := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			out.Content = append(out.Content, encode(v.Index(i)))
		}
		return out
	case reflect.Map:
		out := &yaml.Node{Kind: yaml.MappingNode}
		entries := map[string]reflect.Value{}
		for iter := v.MapRange(); iter.Next(); {
			entries[iter.Key().String()] = iter.Value()
		}
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			out.Content = append(out.Content, scalar(key), encode(entries[key]))
		}
		return out
	case reflect.String:
		return scalar(v.String())
	}
	var out yaml.Node
	_ = out.Encode(v.Interface()) // a bool or a number
	return &out
}

// scalar is a string; the encoder quotes what would read as something else.
func scalar(s string) *yaml.Node {
	var out yaml.Node
	out.SetString(s)
	return &out
}

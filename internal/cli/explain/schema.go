// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/catalog"
)

// schema is the part of a JSON Schema that catalogs use.
type schema struct {
	Ref         string             `json:"$ref"`
	Defs        map[string]*schema `json:"$defs"`
	Type        string             `json:"type"`
	Description string             `json:"description"`
	Enum        []string           `json:"enum"`
	Required    []string           `json:"required"`
	Properties  map[string]*schema `json:"properties"`
	Items       *schema            `json:"items"`
	// Additional is false, or the schema of the values of a map.
	Additional json.RawMessage `json:"additionalProperties"`
}

// field is a place in the format.
type field struct {
	path     string
	required bool
	schema   *schema // of the place itself
	fields   *schema // of the struct that it holds, alone or in a list or map; nil for a scalar
	typ      string  // as people write it: string, []Condition, map[string]Relation
	enum     []string
}

// format is the whole format: the document and every place in it.
type format struct {
	root   *schema
	places []field // the document first, then by path
}

func newFormat() (*format, error) {
	f := &format{root: &schema{}}
	if err := json.Unmarshal(catalog.SchemaJSON, f.root); err != nil {
		return nil, fmt.Errorf("the embedded schema: %w", err)
	}
	f.places = []field{{schema: f.root, fields: f.root, typ: "ConditionCatalog"}}
	f.walk("", f.root, map[*schema]bool{})
	return f, nil
}

// walk adds the places below a struct. A struct within itself is not entered twice.
func (f *format) walk(path string, s *schema, above map[*schema]bool) {
	if above[s] {
		return
	}
	above[s] = true
	for _, name := range sorted(s) {
		p := f.place(strings.TrimPrefix(path+"."+name, "."), s.Properties[name])
		p.required = slices.Contains(s.Required, name)
		f.places = append(f.places, p)
		if p.fields != nil {
			f.walk(p.path, p.fields, above)
		}
	}
	delete(above, s)
}

// sorted returns the names of the fields of a struct, required ones first.
func sorted(s *schema) []string {
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(slices.Index(append(s.Required, a), a)-slices.Index(append(s.Required, b), b), cmp.Compare(a, b))
	})
	return names
}

// place returns the field at a path.
func (f *format) place(path string, s *schema) field {
	p := field{path: path, schema: s}
	p.typ = f.typeOf(s, &p)
	return p
}

func (f *format) typeOf(s *schema, p *field) string {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		p.fields = f.root.Defs[name]
		return name
	}
	p.enum = append(p.enum, s.Enum...)
	switch s.Type {
	case "array":
		return "[]" + f.typeOf(s.Items, p)
	case "object":
		values := &schema{}
		if json.Unmarshal(s.Additional, values) == nil {
			return "map[string]" + f.typeOf(values, p)
		}
	}
	return s.Type
}

// find returns the places that a word may name: the one with that path, or all whose path ends in it. Indexes in a path are ignored.
func (f *format) find(word string) []field {
	word = indexes.ReplaceAllString(word, "")
	var ends []field
	for _, p := range f.places {
		if strings.EqualFold(p.path, word) {
			return []field{p}
		}
		if strings.HasSuffix(strings.ToLower(p.path), "."+strings.ToLower(word)) {
			ends = append(ends, p)
		}
	}
	return ends
}

// names returns the last elements of all paths.
func (f *format) names() []string {
	var out []string
	for _, p := range f.places[1:] {
		name := p.path[strings.LastIndexByte(p.path, '.')+1:]
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// write prints a place and the fields below it.
func (f *format) write(w io.Writer, p field) error {
	var b strings.Builder
	if p.path == "" {
		fmt.Fprintf(&b, "DOCUMENT  %s\n", p.typ)
	} else {
		fmt.Fprintf(&b, "FIELD  %s <%s>%s\n", p.path, p.typ, mark(p.required))
	}
	if len(p.enum) > 0 {
		fmt.Fprintf(&b, "ENUM   %s\n", strings.Join(p.enum, ", "))
	}
	fmt.Fprintf(&b, "\n%s\n", indent(p.schema.Description, "  "))
	if p.fields != nil && p.fields != p.schema && p.fields.Description != p.schema.Description && p.fields.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", indent(p.fields.Description, "  "))
	}
	if p.fields != nil {
		b.WriteString("\nFIELDS\n")
		for _, name := range sorted(p.fields) {
			one := f.place(name, p.fields.Properties[name])
			enum := ""
			if len(one.enum) > 0 {
				enum = " (" + strings.Join(one.enum, ", ") + ")"
			}
			fmt.Fprintf(&b, "  %s <%s>%s%s\n%s\n", name, one.typ, mark(slices.Contains(p.fields.Required, name)), enum,
				indent(firstSentence(one.schema.Description), "      "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mark(required bool) string {
	if required {
		return " -required-"
	}
	return ""
}

func firstSentence(text string) string {
	first, _, more := strings.Cut(text, ". ")
	if more {
		return first + "."
	}
	return text
}

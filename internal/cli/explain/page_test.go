// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tristate/tristate/proof/golden"
)

// TestCatalogFormatPage compares docs/catalog-format.md with the JSON Schema, from which explain prints as well.
func TestCatalogFormatPage(t *testing.T) {
	page, err := catalogFormat()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/catalog-format.md", page)
}

// catalogFormat returns the page: a section for each struct, in the order in which the document leads to them.
func catalogFormat() (string, error) {
	f, err := newFormat()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# The catalog format\n\n" +
		"Generated from the model by `go test ./internal/cli/explain -update`; do not edit. `tristate explain FIELD` prints the same in a terminal,\n" +
		"`tristate explain --schema` the JSON Schema for editors. `tristate init KIND.GROUP` writes a catalog with one of everything.\n\n" +
		"A catalog is a YAML document. In the table of a struct, a field in **bold** is required. A small struct is in the table of the field\n" +
		"that has it, as FIELD.NAME.\n")
	queue := []field{f.places[0]}
	seen := map[*schema]bool{f.root: true}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		below := section(&b, f, p)
		for _, one := range below {
			if !seen[one.fields] {
				seen[one.fields] = true
				queue = append(queue, one)
			}
		}
	}
	for name, s := range f.root.Defs {
		if !seen[s] && !f.isSmall(s) {
			return "", fmt.Errorf("nothing in the document leads to %s", name)
		}
	}
	return b.String(), nil
}

// section writes the section of a struct and returns those of its fields that have a section.
func section(b *strings.Builder, f *format, p field) (below []field) {
	fmt.Fprintf(b, "\n## %s\n\n", structName(p.typ))
	if p.path != "" {
		fmt.Fprintf(b, "At `%s`. ", p.path)
	}
	b.WriteString(markdown(cmp.Or(p.fields.Description, p.schema.Description)) + "\n\n| Field | Type | Meaning |\n|---|---|---|\n")
	return rows(b, f, p, "")
}

// rows writes the rows of a struct, with those of its small structs, and returns its fields that have a section.
func rows(b *strings.Builder, f *format, p field, prefix string) (below []field) {
	for _, name := range sorted(p.fields) {
		one := f.place(name, p.fields.Properties[name])
		shown := "`" + prefix + name + "`"
		if slices.Contains(p.fields.Required, name) {
			shown = "**" + shown + "**"
		}
		typ, meaning := "`"+one.typ+"`", markdown(one.schema.Description)
		small := one.fields != nil && f.isSmall(one.fields)
		switch {
		case small:
			if of := markdown(one.fields.Description); of != meaning {
				meaning = strings.TrimSpace(meaning + " " + of)
			}
		case one.fields != nil:
			typ = fmt.Sprintf("[%s](#%s)", typ, strings.ToLower(structName(one.typ)))
		}
		if len(one.enum) > 0 {
			meaning += " One of `" + strings.Join(one.enum, "`, `") + "`."
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", shown, typ, meaning)
		one.path = strings.TrimPrefix(p.path+"."+name, ".")
		switch {
		case small:
			below = append(below, rows(b, f, one, prefix+name+".")...)
		case one.fields != nil:
			below = append(below, one)
		}
	}
	return below
}

// isSmall reports whether a struct has at most three fields and is the type of one field alone.
func (f *format) isSmall(s *schema) bool {
	users := 0
	for _, of := range append(slices.Collect(maps.Values(f.root.Defs)), f.root) {
		for name, property := range of.Properties {
			if f.place(name, property).fields == s {
				users++
			}
		}
	}
	return users == 1 && len(s.Properties) <= 3
}

// structName returns the name of the struct in a type.
func structName(typ string) string { return typ[strings.LastIndexByte(typ, ']')+1:] }

// markdown returns a text on one line, for a cell of a table.
func markdown(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(strings.Join(strings.Fields(text), " "))
}

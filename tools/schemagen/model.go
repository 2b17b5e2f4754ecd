// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// root is the struct that a whole document is decoded into.
const root = "Document"

// structs are those of the model, by name.
type structs struct {
	byName map[string]*object
	names  []string // in order of declaration
}

type object struct {
	doc    string
	fields []field
}

type field struct {
	name string // in the document
	doc  string
	tag  reflect.StructTag
	of   typ
}

func (f *field) required() bool { return f.tag.Get("required") == "true" }

// typ is the type of a field: a "string", "bool" or "int", a "list" or "map" of something, or else the name of a struct.
type typ struct {
	name string
	elem *typ
}

// read returns the structs of a Go file.
func read(file string, source []byte) (*structs, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	out := &structs{byName: map[string]*object{}}
	var errs []error
	fail := func(at ast.Node, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", set.Position(at.Pos()), fmt.Sprintf(format, args...)))
	}
	for _, decl := range parsed.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, spec := range general.Specs {
			declared, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			structure, ok := declared.Type.(*ast.StructType)
			if !ok {
				fail(declared, "%s is no struct", declared.Name.Name)
				continue
			}
			o := &object{doc: prose(general.Doc, declared.Doc)}
			if o.doc == "" {
				fail(declared, "%s has no comment", declared.Name.Name)
			}
			for _, f := range structure.Fields.List {
				one, err := fieldOf(f)
				if err != nil {
					fail(f, "%s: %v", declared.Name.Name, err)
					continue
				}
				o.fields = append(o.fields, one)
			}
			out.byName[declared.Name.Name] = o
			out.names = append(out.names, declared.Name.Name)
		}
	}
	errs = append(errs, out.link())
	return out, errors.Join(errs...)
}

// link checks the types that fields refer to; a field without a comment gets that of its struct.
func (m *structs) link() error {
	if m.byName[root] == nil {
		return fmt.Errorf("no struct %s", root)
	}
	about := &m.byName[root].doc // its further sentences are about the Go file
	*about, _, _ = strings.Cut(*about, ". ")
	*about = strings.TrimSuffix(*about, ".") + "."
	var errs []error
	for _, name := range m.names {
		for i := range m.byName[name].fields {
			f := &m.byName[name].fields[i]
			leaf := f.of
			for leaf.elem != nil {
				leaf = *leaf.elem
			}
			target := m.byName[leaf.name]
			if target == nil && leaf.name != "string" && leaf.name != "bool" && leaf.name != "int" {
				errs = append(errs, fmt.Errorf("%s.%s: unknown type %s", name, f.name, leaf.name))
			}
			if f.doc == "" && target != nil {
				f.doc = target.doc
			}
			if f.doc == "" {
				errs = append(errs, fmt.Errorf("%s.%s has no comment", name, f.name))
			}
		}
	}
	return errors.Join(errs...)
}

func fieldOf(f *ast.Field) (field, error) {
	if len(f.Names) != 1 || f.Tag == nil {
		return field{}, errors.New("want fields of one name with a tag")
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return field{}, err
	}
	out := field{doc: prose(f.Doc), tag: reflect.StructTag(tag)}
	if out.name, _, _ = strings.Cut(out.tag.Get("json"), ","); out.name == "" {
		return field{}, fmt.Errorf("%s has no name in its json tag", f.Names[0].Name)
	}
	out.of, err = typeOf(f.Type)
	return out, err
}

func typeOf(e ast.Expr) (typ, error) {
	switch e := e.(type) {
	case *ast.Ident:
		return typ{name: e.Name}, nil
	case *ast.StarExpr:
		return typeOf(e.X)
	case *ast.ArrayType:
		elem, err := typeOf(e.Elt)
		return typ{name: "list", elem: &elem}, err
	case *ast.MapType:
		elem, err := typeOf(e.Value)
		return typ{name: "map", elem: &elem}, err
	}
	return typ{}, fmt.Errorf("type %T is not supported", e)
}

// prose returns the first comment that is not empty, with the lines of each paragraph joined.
func prose(comments ...*ast.CommentGroup) string {
	for _, c := range comments {
		if text := strings.TrimSpace(c.Text()); text != "" {
			paragraphs := strings.Split(text, "\n\n")
			for i, p := range paragraphs {
				paragraphs[i] = strings.Join(strings.Fields(p), " ")
			}
			return strings.Join(paragraphs, "\n\n")
		}
	}
	return ""
}

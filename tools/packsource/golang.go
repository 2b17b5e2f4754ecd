// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goType is a type of an API: the fields of a struct, or the values of a string.
type goType struct {
	folder string
	file   string
	fields []goField
	enum   []string
	of     string // the type that it is defined by, if that has a name
}

type goField struct {
	json string
	typ  string // name, with the package if it is another
	list bool
	enum []string
}

var (
	defaults    = regexp.MustCompile(`\+kubebuilder:default[=:]([^\n]+)`)
	quoted      = regexp.MustCompile(`"([^"]+)"`)
	enumMarker  = regexp.MustCompile(`\+kubebuilder:validation:(?:items:)?Enum[=:]([^\n]+)`)
	groupMarker = regexp.MustCompile(`\+groupName=(\S+)`)
)

// goFile adds the strings, the constants and the types of a file. One that is no Go is left out.
func (u *upstream) goFile(name string, data []byte) {
	f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return
	}
	folder := path.Dir(name)
	for _, c := range f.Comments {
		text := comments(c)
		if m := groupMarker.FindStringSubmatch(text); m != nil {
			u.group(folder, m[1])
		}
		for _, m := range defaults.FindAllStringSubmatch(text, -1) { // the API server writes them
			for _, word := range quoted.FindAllStringSubmatch(m[1], -1) {
				u.word(word[1])
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				u.word(text)
			}
		}
		return true
	})
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				u.constants(folder, d.Tok, s)
			case *ast.TypeSpec:
				doc := d.Doc.Text() + s.Doc.Text()
				if d.Doc != nil {
					doc += comments(d.Doc)
				}
				if s.Doc != nil {
					doc += comments(s.Doc)
				}
				u.types[folder+"."+s.Name.Name] = u.goType(folder, name, s, doc)
			}
		}
	}
}

// comments is the text of a comment with its markers, which Text leaves out.
func comments(g *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

func (u *upstream) group(folder, name string) {
	if strings.Contains(name, ".") {
		u.groups[name], u.kindGroups[folder] = true, name
	}
}

func (u *upstream) constants(folder string, tok token.Token, s *ast.ValueSpec) {
	for i, name := range s.Names {
		if i >= len(s.Values) {
			break
		}
		lit, ok := s.Values[i].(*ast.BasicLit)
		typ, _ := s.Type.(*ast.Ident)
		if call, isCall := s.Values[i].(*ast.CallExpr); isCall && len(call.Args) == 1 { // Phase("Ready")
			lit, ok = call.Args[0].(*ast.BasicLit)
			if id, isIdent := call.Fun.(*ast.Ident); isIdent {
				typ = id
			}
		}
		if !ok || lit.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			continue
		}
		if name.Name == "GroupName" || name.Name == "Group" || name.Name == "APIGroup" {
			u.group(folder, text)
		}
		if tok == token.CONST && typ != nil && text != "" {
			key := folder + "." + typ.Name
			u.consts[key] = append(u.consts[key], text)
		}
	}
}

func (u *upstream) goType(folder, file string, s *ast.TypeSpec, doc string) *goType {
	t := &goType{folder: folder, file: file, enum: u.enumOf(doc)}
	switch typ := s.Type.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		t.of, _ = typeName(typ)
	case *ast.StructType:
		for _, field := range typ.Fields.List {
			tag := ""
			if field.Tag != nil {
				text, _ := strconv.Unquote(field.Tag.Value)
				tag = reflect.StructTag(text).Get("json")
			}
			name, options, _ := strings.Cut(tag, ",")
			typ, list := typeName(field.Type)
			if name == "-" || name == "" && len(field.Names) > 0 && !strings.Contains(options, "inline") {
				continue
			}
			g := goField{json: name, typ: typ, list: list}
			if field.Doc != nil {
				g.enum = u.enumOf(comments(field.Doc))
			}
			t.fields = append(t.fields, g)
		}
	}
	return t
}

func (u *upstream) enumOf(doc string) []string {
	m := enumMarker.FindStringSubmatch(doc)
	if m == nil {
		return nil
	}
	var out []string
	for _, v := range strings.FieldsFunc(strings.Trim(m[1], "{} "), func(r rune) bool { return r == ';' || r == ',' }) {
		if v = strings.Trim(strings.TrimSpace(v), `"`+"`"); v != "" {
			out = append(out, v)
			u.word(v)
		}
	}
	return out
}

// typeName returns the name of a type, through pointers, lists and maps, and whether it is a list or map.
func typeName(e ast.Expr) (string, bool) {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name, false
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.ArrayType:
		name, _ := typeName(t.Elt)
		return name, true
	case *ast.MapType:
		name, _ := typeName(t.Value)
		return name, true
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return x.Name + "." + t.Sel.Name, false
		}
	}
	return "", false
}

// resolve adds the paths and enumerations of kinds that Go types define: structs with a status, in a folder whose group is known.
func (u *upstream) resolve() {
	for key, t := range u.types {
		name := key[strings.LastIndexByte(key, '.')+1:]
		group := u.kindGroups[t.folder]
		i := slices.IndexFunc(t.fields, func(f goField) bool { return f.json == "status" })
		if group == "" || i < 0 ||
			!slices.ContainsFunc(t.fields, func(f goField) bool { return f.json == "metadata" || strings.HasSuffix(f.typ, "ObjectMeta") }) {
			continue
		}
		kind := name + "." + group
		if u.files[kind] == "" {
			u.files[kind] = t.file
		}
		u.walk(kind, "status", t.folder, t.fields[i], 0)
	}
}

// find returns a type by its name in a folder; one of another package by its name, if only one has it.
func (u *upstream) find(folder, name string) *goType {
	if t := u.types[folder+"."+name]; t != nil || !strings.Contains(name, ".") {
		return t
	}
	_, base, _ := strings.Cut(name, ".")
	var found *goType
	for key, t := range u.types {
		if strings.HasSuffix(key, "."+base) {
			if found != nil {
				return nil
			}
			found = t
		}
	}
	return found
}

func (u *upstream) walk(kind, at, folder string, f goField, depth int) {
	if depth > 6 || f.json == "conditions" {
		return
	}
	if f.list {
		at += "[]"
	}
	if u.paths[kind] == nil {
		u.paths[kind] = map[string]bool{}
	}
	u.paths[kind][at] = true
	t := u.find(folder, f.typ)
	enum := f.enum
	if t != nil && len(enum) == 0 {
		enum = t.enum
		if len(enum) == 0 {
			_, base, ok := strings.Cut(f.typ, ".")
			if !ok {
				base = f.typ
			}
			enum = u.consts[t.folder+"."+base]
		}
	}
	if len(enum) > 0 {
		u.add(kind, at, enum, "types")
	}
	if t == nil {
		if !slices.Contains([]string{"string", "bool", "int", "int32", "int64", "metav1.Time", "v1.Time"}, f.typ) {
			u.open[kind] = true
		}
		return
	}
	for _, field := range t.fields {
		next := at
		if field.json != "" {
			next += "." + field.json
		}
		u.walk(kind, next, t.folder, field, depth+1)
	}
}

func (u *upstream) add(kind, at string, list []string, from string) {
	if u.values[kind] == nil {
		u.values[kind] = map[string]*values{}
	}
	if u.values[kind][at] == nil {
		u.values[kind][at] = &values{list: list, from: from}
	}
	for _, v := range list {
		u.word(v)
	}
}

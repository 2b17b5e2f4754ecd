// SPDX-License-Identifier: Apache-2.0

package statement

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Exception is a cell of an oracle that the document leaves open.
type Exception struct {
	System    string
	Quotation string   // the sentence of the document that leaves it open
	Values    []string // that are right, as they are written in the source
}

// Exceptions returns the exceptions of the oracles of all operators: the calls of world.Open. An error is a choice between cells without a
// call, or a call whose quotation is no constant.
func Exceptions(root fs.FS) (out []Exception, err error) {
	files, err := fs.Glob(root, path.Join(Folder, "*/operator/oracle*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		var wrong error
		texts := constants(f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if s, _ := strconv.Unquote(n.Value); n.Kind == token.STRING && choice(s) {
					wrong = fmt.Errorf("%s: %q is a choice without a quotation", set.Position(n.Pos()), s)
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Open" || len(n.Args) < 2 {
					return true
				}
				quotation := text(n.Args[0], texts)
				if len(strings.Fields(quotation)) < 3 {
					wrong = fmt.Errorf("%s: the quotation is no constant of this file", set.Position(n.Pos()))
				}
				e := Exception{System: strings.Split(file, "/")[1], Quotation: quotation}
				for _, v := range n.Args[1:] {
					e.Values = append(e.Values, string(data[set.Position(v.Pos()).Offset:set.Position(v.End()).Offset]))
				}
				out = append(out, e)
			}
			return true
		})
		if wrong != nil {
			return nil, wrong
		}
	}
	return out, nil
}

// choice reports whether a text has several cells.
func choice(text string) bool {
	parts := strings.Split(text, "|")
	return len(parts) > 1 && slices.ContainsFunc(parts, func(p string) bool {
		status, _, _ := strings.Cut(p, " ")
		return slices.Contains([]string{"True", "False", "Unknown"}, status)
	})
}

// constants returns the texts of the constants of a file, by name.
func constants(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
				out[v.Names[0].Name] = text(v.Values[0], nil)
			}
		}
	}
	return out
}

// text returns the text of a string literal or of a constant; empty: it is neither.
func text(e ast.Expr, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.Ident:
		return constants[e.Name]
	}
	return ""
}

// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statusWords are the verdicts. verdict.Statuses is the only order of them.
var statusWords = []string{"Current", "Suspended", "InProgress", "Terminating", "Unknown", "Degraded", "NotFound", "Failed"}

// orders are the declarations that order verdicts otherwise, each with the question that it answers.
var orders = map[string]string{
	"verdict/status.go Statuses":                 "the order: sorting, causes and parents",
	"internal/read/relation/cause.go weight":     "does an object explain another: in steps, and Unknown explains no progress",
	"internal/read/relation/children.go severer": "what a parent takes over first: it is not ready while a child is in progress, whatever else is degraded",
}

// TestOneOrder: no list of verdicts and no switch that numbers them, but in the declarations of the variable orders. A second order of
// severity answers the same question in another way somewhere.
func TestOneOrder(t *testing.T) {
	tree, seen := os.DirFS("../../.."), map[string]bool{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := path.Base(name)
			if name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.' || base == "bin" || base == "dist") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if !ordersVerdicts(file.Name.Name, n) {
					return true
				}
				where := name + " " + declaredName(d)
				if seen[where] = true; orders[where] == "" {
					t.Errorf("%s: %s orders verdicts: use verdict.Statuses and Status.Worse, or add %q to the variable orders with its question",
						set.Position(n.Pos()), declaredName(d), where)
				}
				return false
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for where := range orders {
		if !seen[where] {
			t.Errorf("%s orders no verdicts any more: remove it from the variable orders", where)
		}
	}
}

// ordersVerdicts reports whether a node is a list of at least four verdicts, or a switch that returns a number for at least four.
func ordersVerdicts(in string, n ast.Node) bool {
	var words []string
	switch n := n.(type) {
	case *ast.CompositeLit:
		if list, ok := n.Type.(*ast.ArrayType); !ok || list == nil {
			return false
		}
		for _, e := range n.Elts {
			words = append(words, verdictWord(in, e))
		}
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			c := clause.(*ast.CaseClause)
			if len(c.Body) != 1 {
				continue
			}
			if r, ok := c.Body[0].(*ast.ReturnStmt); !ok || len(r.Results) != 1 || !isNumber(r.Results[0]) {
				continue
			}
			for _, e := range c.List {
				words = append(words, verdictWord(in, e))
			}
		}
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	slices.Sort(words)
	return len(slices.Compact(words)) >= 4
}

// verdictWord returns the verdict that an expression of a package names: verdict.Failed, Failed in that package, string(verdict.Failed) or
// "Failed".
func verdictWord(in string, e ast.Expr) string {
	word := ""
	switch e := e.(type) {
	case *ast.SelectorExpr:
		word = e.Sel.Name
	case *ast.Ident:
		if in == "verdict" {
			word = e.Name
		}
	case *ast.BasicLit:
		word, _ = strconv.Unquote(e.Value)
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return verdictWord(in, e.Args[0])
		}
	}
	if !slices.Contains(statusWords, word) {
		return ""
	}
	return word
}

// isNumber reports whether an expression is a number or a name in lower case, which may be a constant.
func isNumber(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.INT
	case *ast.Ident:
		return e.Name != "true" && e.Name != "false" && e.Name != "nil" && !ast.IsExported(e.Name)
	}
	return false
}

// declaredName returns the name of a function, or of the first variable of a declaration.
func declaredName(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return nameOf(d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

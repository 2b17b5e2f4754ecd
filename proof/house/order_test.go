// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// statusWords are the verdicts. verdict.Statuses is the only order of them.
var statusWords = []string{"Current", "Suspended", "InProgress", "Terminating", "Unknown", "Degraded", "NotFound", "Failed"}

// severityWords are the severities, and polarityWords the polarities that have a bad status.
var (
	severityWords = []string{"SeverityError", "SeverityWarning", "SeverityInfo"}
	polarityWords = []string{"Positive", "Negative"}
)

// orders are the declarations that order verdicts or severities, or say which status of a polarity is bad.
var orders = map[string]string{
	"verdict/internal/answer/answer.go Statuses":       "the order of verdicts: sorting, causes and parents",
	"conditions/internal/merge/item.go SeverityRank":   "the order of severities: Severity.Rank and merges",
	"proof/exporttest/generate.go generator.condition": "none: one severity is drawn at random",
}

// TestOneOrder: no list of verdicts or severities, no switch that numbers them, and no switch over polarities, but in the declarations of
// the variable orders: Polarity.Good and Bad need none. A second order answers the same question in another way somewhere.
func TestOneOrder(t *testing.T) {
	seen := map[string]bool{}
	walk(t, func(name string) bool { return isCode(name) && !isTest(name) }, func(name string, data []byte) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if !ordersVerdicts(file.Name.Name, n) {
					return true
				}
				where := name + " " + declaredName(d)
				if seen[where] = true; orders[where] == "" {
					t.Errorf("%s: %s orders verdicts or severities, or compares polarities: use Status.Worse, Severity.Rank, Polarity.Good or Bad; "+
						"or add %q to the variable orders with its question",
						set.Position(n.Pos()), declaredName(d), where)
				}
				return false
			})
		}
	})
	for where := range orders {
		if !seen[where] {
			t.Errorf("%s orders nothing any more: remove it from the variable orders", where)
		}
	}
}

// ordersVerdicts reports whether a node is a list of at least four verdicts or of all severities, a switch that returns a number for at
// least four verdicts or two severities, or one that returns something for one polarity.
func ordersVerdicts(in string, n ast.Node) bool {
	var listed, numbered []ast.Expr
	switch n := n.(type) {
	case *ast.CompositeLit:
		if _, ok := n.Type.(*ast.ArrayType); ok {
			listed = n.Elts
		}
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			c := clause.(*ast.CaseClause)
			if len(c.Body) != 1 {
				continue
			}
			r, ok := c.Body[0].(*ast.ReturnStmt)
			if ok && count(in, polarityWords, c.List) == 1 {
				return true
			}
			if ok && len(r.Results) == 1 && isNumber(r.Results[0]) {
				numbered = append(numbered, c.List...)
			}
		}
	}
	return count(in, statusWords, listed) >= 4 || count(in, severityWords, listed) == len(severityWords) ||
		count(in, statusWords, numbered) >= 4 || count(in, severityWords, numbered) >= 2
}

// count returns how many of some words expressions of a package name.
func count(in string, words []string, list []ast.Expr) int {
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(list, func(e ast.Expr) bool { return names(in, e) == w }) {
			n++
		}
	}
	return n
}

// names returns the word that an expression of a package names: verdict.Failed, Failed where it is declared, string(verdict.Failed) or
// "Failed"; SeverityWarning for "Warning".
func names(in string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		if in == "verdict" || in == "answer" || in == "conditions" {
			return e.Name
		}
	case *ast.BasicLit:
		word, _ := strconv.Unquote(e.Value)
		if slices.Contains(severityWords, "Severity"+word) {
			return "Severity" + word
		}
		return word
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return names(in, e.Args[0])
		}
	}
	return ""
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

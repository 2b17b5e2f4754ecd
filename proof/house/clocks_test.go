// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
	"time"
)

// hangs is the shortest time limit of a test. What a busy machine does in minutes is late, not wrong: a limit ends only what hangs.
const hangs = 5 * time.Minute

// limits are the functions that bound a wait, with the argument that is the limit.
var limits = map[string]int{"context.WithTimeout": 1, "time.After": 0, "wait.PollUntilContextTimeout": 2}

// TestClocks: a test that sleeps, but between two looks at what it waits for, that ends what takes less than [hangs], or that compares a
// duration says why in a comment on the line. Everything else waits for a state or has a clock of its own. The comments are the list of
// the tests that depend on time.
func TestClocks(t *testing.T) {
	walk(t, func(name string) bool { return isCode(name) && isTest(name) }, func(name string, data []byte) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		explained := map[int]bool{}
		for _, c := range file.Comments {
			explained[set.Position(c.Pos()).Line] = true
		}
		polls := 0 // loops around a node, within its function
		var stack []ast.Node
		var outer []int
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				switch n := stack[len(stack)-1].(type) {
				case *ast.ForStmt:
					polls--
				case *ast.RangeStmt:
					if n.Key == nil {
						polls--
					}
				case *ast.FuncLit:
					polls, outer = outer[len(outer)-1], outer[:len(outer)-1]
				}
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.ForStmt:
				polls++
			case *ast.RangeStmt:
				if n.Key == nil { // so many times
					polls++
				}
			case *ast.FuncLit:
				outer, polls = append(outer, polls), 0
			}
			if why := readsClock(n, polls > 0); why != "" && !explained[set.Position(n.Pos()).Line] {
				t.Errorf("%s %s: wait for a state, or use a clock of the test; else a comment on the line gives the reason", set.Position(n.Pos()), why)
			}
			return true
		})
	})
}

// readsClock returns how a node depends on time; empty: it does not.
func readsClock(n ast.Node, polls bool) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		called := selector(n.Fun)
		if called == "time.Sleep" && !polls {
			return "sleeps"
		}
		limit := time.Duration(0)
		if i, ok := limits[called]; ok && i < len(n.Args) && !(polls && called == "time.After") {
			limit = constant(n.Args[i])
		}
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Add" && len(n.Args) == 1 {
			if now, ok := s.X.(*ast.CallExpr); ok && selector(now.Fun) == "time.Now" {
				limit = constant(n.Args[0])
			}
		}
		if limit > 0 && limit < hangs {
			return "ends after " + limit.String()
		}
	case *ast.CompositeLit: // the default is ten seconds
		if name := selector(n.Type); name == "envtest.CRDInstallOptions" && !slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return false
			}
			key, ok := pair.Key.(*ast.Ident)
			limit := constant(pair.Value)
			return ok && key.Name == "MaxTime" && (limit == 0 || limit >= hangs)
		}) {
			return "ends after " + (10 * time.Second).String()
		}
	case *ast.BinaryExpr:
		if n.Op == token.LSS || n.Op == token.GTR || n.Op == token.LEQ || n.Op == token.GEQ {
			for _, side := range []ast.Expr{n.X, n.Y} {
				if call, ok := side.(*ast.CallExpr); ok && selector(call.Fun) == "time.Since" {
					return "compares a duration"
				}
				if id, ok := side.(*ast.Ident); ok && (id.Name == "took" || id.Name == "elapsed") {
					return "compares a duration"
				}
			}
		}
	}
	return ""
}

// selector returns a function of a package as package.Name.
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// constant returns a duration that is written as n*time.Unit or time.Unit; 0 for others.
func constant(e ast.Expr) time.Duration {
	units := map[string]time.Duration{"time.Millisecond": time.Millisecond, "time.Second": time.Second, "time.Minute": time.Minute,
		"time.Hour": time.Hour}
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.MUL {
		if lit, ok := b.X.(*ast.BasicLit); ok {
			n, _ := strconv.Atoi(lit.Value)
			return time.Duration(n) * units[selector(b.Y)]
		}
	}
	return units[selector(e)]
}

// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
)

// facts reads the facts of one function that are no sites: times, generations, appended and partial lists, messages without a bound.
// Literals inside of it are read with it, and not again by themselves.
func (w *walker) facts(f *function) {
	if f.outer != nil || f.body == nil || !w.asked {
		return
	}
	compares, sets, patches := w.traits(f)
	note := func(what string, n ast.Node, text string) {
		fact := source.Fact{What: what, Position: w.position(n.Pos()), In: f.name, Text: text}
		if recv := f.sig.Recv(); recv != nil {
			fact.Kinds = append(fact.Kinds, typeNames(recv.Type())...)
		}
		for i := range f.sig.Params().Len() {
			fact.Kinds = append(fact.Kinds, typeNames(f.sig.Params().At(i).Type())...)
		}
		w.scan.Facts = append(w.scan.Facts, fact)
	}
	field := func(name string, value ast.Expr) {
		switch name {
		case "ObservedGeneration":
			if tv := w.info.Types[value]; tv.Value != nil {
				note(source.FactGenerationConstant, value, textOf(tv.Value))
			}
		case "LastTransitionTime":
			if w.isNow(value) && !compares && !sets {
				note(source.FactManualTime, value, types.ExprString(value))
			}
		case "Message":
			if how := w.unbounded(value, f); how != "" {
				note(source.FactUnboundedMessage, value, how)
			}
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if shaped(w.info.TypeOf(n)) {
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						if id, ok := kv.Key.(*ast.Ident); ok {
							field(id.Name, kv.Value)
						}
					}
				}
			}
			if patches && w.partial(n) {
				note(source.FactPartialList, n, "conditions")
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if sel, ok := to.(*ast.SelectorExpr); ok && len(n.Lhs) == len(n.Rhs) && shaped(w.info.TypeOf(sel.X)) {
					field(sel.Sel.Name, n.Rhs[i])
				}
			}
		case *ast.CallExpr:
			if list, ok := w.appended(n); ok && !w.searches(f, list) {
				note(source.FactAppend, n, list)
			}
		}
		return true
	})
}

// traits reports whether a function compares statuses, sets conditions by a helper, and sends patches.
func (w *walker) traits(f *function) (compares, sets, patches bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			for _, side := range []ast.Expr{n.X, n.Y} {
				if sel, ok := ast.Unparen(side).(*ast.SelectorExpr); ok && sel.Sel.Name == "Status" && shaped(w.info.TypeOf(sel.X)) {
					compares = true
				}
			}
		case *ast.CallExpr:
			if callee := w.callee(n); callee != nil {
				name := callee.Name()
				sets = sets || strings.HasPrefix(name, "Set") && strings.Contains(name, "Condition") && !w.ours[callee.Pkg()]
				patches = patches || name == "Patch" || name == "ApplyStatus" || name == "Apply"
			}
		}
		return true
	})
	return compares, sets, patches
}

func (w *walker) isNow(e ast.Expr) bool {
	now := false
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if callee := w.callee(c); callee != nil && callee.Name() == "Now" {
				now = true
			}
		}
		return !now
	})
	return now
}

// unbounded returns how a message is made of any number of parts; empty where it is not.
func (w *walker) unbounded(e ast.Expr, f *function) string {
	how := ""
	look := func(e ast.Node) {
		ast.Inspect(e, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			callee := w.callee(c)
			switch {
			case callee == nil || callee.Pkg() == nil:
			case callee.Pkg().Path() == "strings" && callee.Name() == "Join", callee.Pkg().Path() == "errors" && callee.Name() == "Join",
				callee.Name() == "NewAggregate":
				how = types.ExprString(c.Fun)
			case strings.Contains(strings.ToLower(callee.Name()), "truncate"):
				how = ""
				return false
			}
			return how == ""
		})
	}
	look(e)
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && how == "" {
		for _, a := range w.values[variable(w.info.ObjectOf(id))] {
			if a.in == f {
				look(a.expr)
			}
		}
	}
	return how
}

// appended reports whether a call appends to a stored list of conditions, and to which.
func (w *walker) appended(n *ast.CallExpr) (string, bool) {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || id.Name != "append" || len(n.Args) < 2 || n.Ellipsis != 0 {
		return "", false
	}
	sel, ok := ast.Unparen(n.Args[0]).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Conditions" {
		return "", false
	}
	list, ok := w.info.TypeOf(sel).Underlying().(*types.Slice)
	return types.ExprString(sel), ok && shaped(list.Elem())
}

// searches reports whether a function looks for an entry in the list before it appends one.
func (w *walker) searches(f *function, list string) bool {
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			found = found || types.ExprString(n.X) == list
		case *ast.ForStmt:
			found = found || n.Cond != nil && strings.Contains(types.ExprString(n.Cond), list)
		case *ast.CallExpr:
			name := strings.ToLower(types.ExprString(n.Fun))
			if slices.ContainsFunc([]string{"find", "index", "get", "has", "contains"}, func(w string) bool { return strings.Contains(name, w) }) {
				found = found || slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return types.ExprString(a) == list })
			}
		}
		return !found
	})
	return found
}

// partial reports whether a map literal carries a list of conditions that is written out.
func (w *walker) partial(n *ast.CompositeLit) bool {
	if _, ok := w.info.TypeOf(n).Underlying().(*types.Map); !ok {
		return false
	}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key := w.info.Types[kv.Key]
		if _, list := ast.Unparen(kv.Value).(*ast.CompositeLit); key.Value != nil && textOf(key.Value) == "conditions" && list {
			return true
		}
	}
	return false
}

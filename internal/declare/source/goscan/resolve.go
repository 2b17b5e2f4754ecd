// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
	"golang.org/x/tools/go/packages"
)

// value is one possible value of an expression: a text, or a parameter of a function.
type value struct {
	source.Value
	param *types.Var // How is source.Open then, until its callers are asked
}

// Bounds of one resolution.
const (
	maxDepth  = 24
	maxValues = 200
)

func textOf(v constant.Value) string {
	if v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return v.ExactString()
}

// resolver follows one value back to its sources.
type resolver struct {
	*scanner
	active map[any]bool
	depth  int
}

func (s *scanner) resolve(a *assigned) []value {
	if a == nil {
		return nil
	}
	r := &resolver{scanner: s, active: map[any]bool{}}
	return distinct(r.assigned(*a))
}

func distinct(in []value) []value {
	var out []value
	for _, v := range in {
		if !slices.ContainsFunc(out, func(o value) bool {
			return o.Text == v.Text && o.How == v.How && o.param == v.param && o.Expr == v.Expr
		}) {
			out = append(out, v)
		}
	}
	return out
}

func (r *resolver) assigned(a assigned) []value {
	switch {
	case a.added:
		return r.dead(source.Computed, a.expr)
	case a.key:
		return r.dead(source.Unknown, a.expr)
	case a.elem:
		return r.elements(a.expr, a.pkg)
	case a.result >= 0:
		if c, ok := ast.Unparen(a.expr).(*ast.CallExpr); ok {
			return r.call(c, a.result, a.pkg)
		}
		if x, ok := ast.Unparen(a.expr).(*ast.IndexExpr); ok && a.result == 0 { // v, ok := m[k]
			return r.expr(x, a.pkg)
		}
		return r.dead(source.Unknown, a.expr)
	}
	return r.expr(a.expr, a.pkg)
}

func (r *resolver) dead(how source.How, e ast.Expr) []value {
	return []value{{Value: source.Value{How: how, Expr: types.ExprString(e)}}}
}

func (r *resolver) expr(e ast.Expr, p *packages.Package) (out []value) {
	e = ast.Unparen(e)
	tv, known := p.TypesInfo.Types[e]
	if known && tv.Value != nil {
		return []value{{Value: source.Value{Text: textOf(tv.Value), How: source.Constant}}}
	}
	if r.depth >= maxDepth || r.active[e] {
		return nil // a cycle adds nothing
	}
	r.active[e] = true
	r.depth++
	defer func() {
		delete(r.active, e)
		r.depth--
		if known {
			out = r.enumerated(out, tv.Type)
		}
		out = out[:min(len(out), maxValues)]
	}()
	switch e := e.(type) {
	case *ast.Ident:
		return r.variable(variable(p.TypesInfo.ObjectOf(e)), e)
	case *ast.SelectorExpr:
		if field := variable(p.TypesInfo.ObjectOf(e.Sel)); field != nil && field.IsField() {
			if out, ok := r.fieldOf(e.X, field, p); ok {
				return out
			}
		}
		if (e.Sel.Name == "Reason" || e.Sel.Name == "Type" || e.Sel.Name == "Status") && shaped(p.TypesInfo.TypeOf(e.X)) {
			return r.dead(source.Forwarded, e)
		}
		return r.variable(variable(p.TypesInfo.ObjectOf(e.Sel)), e)
	case *ast.StarExpr:
		return r.expr(e.X, p)
	case *ast.UnaryExpr:
		return r.expr(e.X, p)
	case *ast.BinaryExpr:
		return r.dead(source.Computed, e)
	case *ast.IndexExpr:
		return r.elements(e.X, p)
	case *ast.CallExpr:
		return r.call(e, 0, p)
	}
	return r.dead(source.Unknown, e)
}

// enumerated returns, for a value that could not be resolved, the constants of its named string type.
func (r *resolver) enumerated(in []value, t types.Type) []value {
	n, ok := t.(*types.Named)
	if !ok || !isString(t) || n.Obj().Pkg() == nil {
		return in
	}
	var out []value
	lost := false
	for _, v := range in {
		if v.Known() || v.param != nil || v.How == source.Forwarded {
			out = append(out, v)
		} else {
			lost = true
		}
	}
	if !lost && len(in) > 0 {
		return in
	}
	scope := n.Obj().Pkg().Scope()
	found := false
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) {
			out = append(out, value{Value: source.Value{Text: textOf(c.Val()), How: source.Enum, Expr: n.Obj().Name()}})
			found = true
		}
	}
	if !found {
		return in
	}
	return out
}

func (r *resolver) variable(v *types.Var, e ast.Expr) []value {
	if v == nil {
		return r.dead(source.Unknown, e)
	}
	if r.active[v] {
		return nil
	}
	r.active[v] = true
	defer delete(r.active, v)
	var out []value
	if _, is := r.params[v]; is {
		out = append(out, value{Value: source.Value{How: source.Open, Expr: types.ExprString(e)}, param: v})
	}
	for _, a := range r.values[v] {
		out = append(out, r.assigned(a)...)
	}
	for i := range out {
		out[i].Sanitised = out[i].Sanitised || r.guarded[v]
	}
	if len(out) == 0 {
		if v.Pkg() != nil && !r.ours[v.Pkg()] {
			return r.dead(source.Foreign, e)
		}
		if v.IsField() || len(r.values[v]) == 0 && !r.declaredEmpty(v) {
			return r.dead(source.Unknown, e)
		}
	}
	return out
}

// declaredEmpty reports whether a variable is one of a function, which begins empty.
func (r *resolver) declaredEmpty(v *types.Var) bool {
	return v.Parent() != nil && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
}

// elements returns the values of the elements of a list or map.
func (r *resolver) elements(e ast.Expr, p *packages.Package) []value {
	e = ast.Unparen(e)
	if r.depth >= maxDepth {
		return r.dead(source.Unknown, e)
	}
	r.depth++
	defer func() { r.depth-- }()
	var holder *types.Var
	switch e := e.(type) {
	case *ast.CompositeLit:
		var out []value
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			out = append(out, r.expr(elt, p)...)
		}
		return out
	case *ast.Ident:
		holder = variable(p.TypesInfo.ObjectOf(e))
	case *ast.SelectorExpr:
		holder = variable(p.TypesInfo.ObjectOf(e.Sel))
	case *ast.CallExpr:
		if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && id.Name == "append" {
			out := r.elements(e.Args[0], p)
			for _, arg := range e.Args[1:] {
				out = append(out, r.expr(arg, p)...)
			}
			return out
		}
		if f := r.funcs[calleeOf(p.TypesInfo, e)]; f != nil {
			var out []value
			for _, results := range f.returns {
				if len(results) > 0 {
					out = append(out, r.elements(results[0], f.pkg)...)
				}
			}
			return out
		}
	}
	type key struct{ v *types.Var }
	if holder == nil || r.active[key{holder}] {
		return r.dead(source.Unknown, e)
	}
	r.active[key{holder}] = true
	defer delete(r.active, key{holder})
	var out []value
	for _, a := range r.values[holder] {
		if a.result < 0 && !a.elem && !a.key {
			if c, ok := ast.Unparen(a.expr).(*ast.CallExpr); ok && isMake(c) {
				continue
			}
			out = append(out, r.elements(a.expr, a.pkg)...)
		}
	}
	for _, a := range r.elems[holder] {
		out = append(out, r.assigned(a)...)
	}
	if par, is := r.params[holder]; is && len(out) == 0 {
		for _, c := range r.callers[par.of] {
			if par.index < len(c.expr.Args) && c.expr.Ellipsis == 0 {
				out = append(out, r.elements(c.expr.Args[par.index], c.pkg)...)
			}
		}
	}
	if len(out) == 0 {
		return r.dead(source.Unknown, e)
	}
	return out
}

func isMake(c *ast.CallExpr) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	return ok && (id.Name == "make" || id.Name == "new")
}

// sameAsArgs are functions from outside that return one of their arguments.
var sameAsArgs = map[string]bool{"cmp.Or": true, "k8s.io/utils/ptr.Deref": true, "k8s.io/utils/ptr.To": true,
	"k8s.io/utils/pointer.StringDeref": true,
	"k8s.io/utils/pointer.String":      true, "k8s.io/utils/pointer.StringPtr": true}

// call returns the values of one result of a call.
func (r *resolver) call(e *ast.CallExpr, result int, p *packages.Package) []value {
	if tv, ok := p.TypesInfo.Types[e.Fun]; ok && tv.IsType() && len(e.Args) == 1 { // a conversion
		out := r.expr(e.Args[0], p)
		if slices.ContainsFunc(out, func(v value) bool { return !v.Known() }) {
			return r.enumerated(out, p.TypesInfo.TypeOf(e.Args[0]))
		}
		return out
	}
	callee := calleeOf(p.TypesInfo, e)
	var targets []*function
	switch f := r.funcs[callee]; {
	case f != nil:
		targets = []*function{f}
	case callee == nil || isInterface(callee):
		targets = r.targets(p.TypesInfo, e)
	}
	if callee == nil { // a literal that is called, or the variable that it was assigned to
		if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
			targets = []*function{r.lits[lit]}
		} else if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
			if only := r.literals(variable(p.TypesInfo.ObjectOf(id))); len(only) > 0 {
				targets = only
			}
		}
	}
	if len(targets) == 0 {
		return r.outside(e, callee, p)
	}
	var out []value
	if callee != nil && isInterface(callee) && !r.ours[callee.Pkg()] { // others implement it, too
		out = r.dead(source.Foreign, e)
	}
	for _, f := range targets {
		if f == nil || r.active[f] && f.outer == nil {
			continue
		}
		r.active[f] = true
		out = append(out, r.given(r.results(f, result), f, e, p)...)
		delete(r.active, f)
	}
	return out
}

// results returns the values of one result of a function.
func (r *resolver) results(f *function, result int) []value {
	var out []value
	for _, results := range f.returns {
		switch {
		case result < len(results) && (len(results) > 1 || f.sig.Results().Len() == 1):
			out = append(out, r.expr(results[result], f.pkg)...)
		case len(results) == 1: // return f()
			if c, ok := ast.Unparen(results[0]).(*ast.CallExpr); ok {
				out = append(out, r.call(c, result, f.pkg)...)
			}
		case len(results) == 0 && result < f.sig.Results().Len():
			if v := f.sig.Results().At(result); v.Name() != "" {
				for _, a := range r.values[v] {
					out = append(out, r.assigned(a)...)
				}
			}
		}
	}
	return out
}

// literals returns the function literals that are assigned to a variable; none where another value is, too.
func (r *resolver) literals(v *types.Var) []*function {
	var out []*function
	if v == nil {
		return nil
	}
	for _, a := range r.values[v] {
		lit, ok := ast.Unparen(a.expr).(*ast.FuncLit)
		if !ok {
			return nil
		}
		out = append(out, r.lits[lit])
	}
	return out
}

// outside returns the result of a function that is not of the module.
func (r *resolver) outside(e *ast.CallExpr, callee *types.Func, p *packages.Package) []value {
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
		callee = nil
	}
	if callee == nil || callee.Pkg() == nil {
		return r.dead(source.Unknown, e)
	}
	name := callee.Pkg().Path() + "." + callee.Name()
	switch {
	case sameAsArgs[name]:
		var out []value
		for _, arg := range e.Args {
			out = append(out, r.expr(arg, p)...)
		}
		return out
	case callee.Pkg().Path() == "fmt" || callee.Pkg().Path() == "strings" || callee.Pkg().Path() == "strconv":
		return r.dead(source.Computed, e)
	}
	out := r.dead(source.Foreign, e)
	out[0].Sanitised = sanitises(e)
	return out
}

// sanitises reports whether a call is, by its name, one of a function that returns or recognises valid reasons.
func sanitises(e *ast.CallExpr) bool {
	name := ""
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return strings.Contains(strings.ToLower(name), "saniti") || strings.Contains(name, "ValidReason")
}

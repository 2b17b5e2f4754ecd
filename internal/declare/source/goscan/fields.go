// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// fieldOf returns the values of a field of one struct, where every literal that the struct can come from is known: through local variables,
// pointers and the constructors of the module, and no statement assigns to the field through a parameter or a receiver. Otherwise it
// reports false, and the field has the values that the module assigns to it anywhere.
func (r *resolver) fieldOf(holder ast.Expr, field *types.Var, p *packages.Package) ([]value, bool) {
	type key struct {
		at    ast.Expr
		field *types.Var
	}
	holder = ast.Unparen(holder)
	if r.depth >= maxDepth || r.shared[field] {
		return nil, false
	}
	if r.active[key{holder, field}] {
		return nil, true // a cycle adds nothing
	}
	r.active[key{holder, field}] = true
	r.depth++
	defer func() {
		delete(r.active, key{holder, field})
		r.depth--
	}()
	switch e := holder.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return r.fieldOf(e.X, field, p)
		}
	case *ast.StarExpr:
		return r.fieldOf(e.X, field, p)
	case *ast.CompositeLit:
		return r.fieldOfLiteral(e, field, p)
	case *ast.CallExpr:
		return r.fieldOfCall(e, 0, field, p)
	case *ast.Ident:
		v := variable(p.TypesInfo.ObjectOf(e))
		if v == nil || v.IsField() || !r.declaredEmpty(v) {
			return nil, false
		}
		if _, is := r.params[v]; is || len(r.values[v])+len(r.parts[part{v, field}]) == 0 {
			return nil, false
		}
		var out []value
		for _, a := range r.values[v] {
			if a.elem || a.key || a.added {
				return nil, false
			}
			var more []value
			var ok bool
			if call, is := ast.Unparen(a.expr).(*ast.CallExpr); is {
				more, ok = r.fieldOfCall(call, max(a.result, 0), field, a.pkg)
			} else if a.result < 0 {
				more, ok = r.fieldOf(a.expr, field, a.pkg)
			}
			if !ok {
				return nil, false
			}
			out = append(out, more...)
		}
		for _, a := range r.parts[part{v, field}] {
			out = append(out, r.assigned(a)...)
		}
		return out, true
	}
	return nil, false
}

// fieldOfLiteral returns the value of a field in a struct literal; a field without one is empty.
func (r *resolver) fieldOfLiteral(e *ast.CompositeLit, field *types.Var, p *packages.Package) ([]value, bool) {
	st := structOf(p.TypesInfo.TypeOf(e))
	if st == nil {
		return nil, false
	}
	for i, elt := range e.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && variable(p.TypesInfo.ObjectOf(id)) == field {
				return r.expr(kv.Value, p), true
			}
		} else if i < st.NumFields() && st.Field(i).Origin() == field {
			return r.expr(elt, p), true
		}
	}
	for i := range st.NumFields() {
		if st.Field(i).Origin() == field {
			return nil, true
		}
	}
	return nil, false // of an embedded struct
}

// fieldOfCall returns a field of one result of a function of the module, with the arguments of the call in place of its parameters.
func (r *resolver) fieldOfCall(e *ast.CallExpr, result int, field *types.Var, p *packages.Package) ([]value, bool) {
	if tv, ok := p.TypesInfo.Types[e.Fun]; ok && tv.IsType() {
		return nil, false
	}
	f := r.funcs[calleeOf(p.TypesInfo, e)]
	if f == nil || len(f.returns) == 0 || r.active[f] {
		return nil, false
	}
	r.active[f] = true
	defer delete(r.active, f)
	var out []value
	for _, results := range f.returns {
		if result >= len(results) || len(results) != f.sig.Results().Len() {
			return nil, false
		}
		if tv := f.pkg.TypesInfo.Types[results[result]]; tv.IsNil() {
			continue
		}
		found, ok := r.fieldOf(results[result], field, f.pkg)
		if !ok {
			return nil, false
		}
		out = append(out, found...)
	}
	return r.given(out, f, e, p), true
}

// given replaces the parameters of a function by the arguments of a call.
func (r *resolver) given(in []value, f *function, e *ast.CallExpr, p *packages.Package) []value {
	var out []value
	for _, v := range in {
		if v.param != nil && r.params[v.param].of == f {
			if i := r.params[v.param].index; i < len(e.Args) && e.Ellipsis == 0 && !(f.sig.Variadic() && i >= f.sig.Params().Len()-1) {
				out = append(out, r.expr(e.Args[i], p)...)
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

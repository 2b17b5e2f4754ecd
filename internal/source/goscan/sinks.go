// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/tristate/tristate/internal/source"
	"golang.org/x/tools/go/packages"
)

// sink is a place where a reason is given to a condition.
type sink struct {
	pos                  token.Pos
	in                   *function
	pkg                  *packages.Package
	kind, status, reason *assigned // nil: not set
	kindText, statusText string    // set by the name of a setter
	objects              []ast.Expr
}

// shaped reports whether a type is a condition: a struct, or a pointer to one, with Type, Status, Reason and Message of string kinds, of its own or
// of a struct that it embeds.
func shaped(t types.Type) bool {
	if t == nil {
		return false
	}
	for _, name := range []string{"Type", "Status", "Reason", "Message"} {
		if f := fieldNamed(t, name); f == nil || !isString(f.Type()) {
			return false
		}
	}
	return true
}

// fieldNamed is an exported field of a struct, of a pointer to one, or of a struct that it embeds; nil without one.
func fieldNamed(t types.Type, name string) *types.Var {
	found, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	if f, ok := found.(*types.Var); ok && f.IsField() {
		return f
	}
	return nil
}

func isString(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// condition is the sink of a literal; without a reason there is none.
func (w *walker) condition(n *ast.CompositeLit, st *types.Struct) (sink, bool) {
	k := sink{pos: n.Pos(), in: w.in, pkg: w.pkg}
	for i, e := range n.Elts {
		name, value := "", e
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				name = id.Name
			}
			value = kv.Value
		} else if i < st.NumFields() {
			name = st.Field(i).Name()
		}
		v := w.value(value)
		switch name {
		case "Type":
			k.kind = &v
		case "Status":
			k.status = &v
		case "Reason":
			k.reason, k.pos = &v, value.Pos()
		}
	}
	return k, k.reason != nil
}

// field is the sink of an assignment to Reason: type and status are the values that the function assigns to the same variable.
func (w *walker) field(sel *ast.SelectorExpr, v assigned, n *ast.AssignStmt) sink {
	k := sink{pos: v.expr.Pos(), in: w.in, pkg: w.pkg, reason: &v}
	root, _ := ast.Unparen(sel.X).(*ast.Ident)
	if w.in == nil || w.in.body == nil || root == nil {
		return k
	}
	ast.Inspect(w.in.body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != len(a.Rhs) {
			return true
		}
		for i, to := range a.Lhs {
			other, ok := to.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			if id, ok := ast.Unparen(other.X).(*ast.Ident); ok && w.info.ObjectOf(id) == w.info.ObjectOf(root) {
				value := w.value(a.Rhs[i])
				switch other.Sel.Name {
				case "Type":
					k.kind = &value
				case "Status":
					k.status = &value
				}
			}
		}
		return true
	})
	return k
}

// converts reports whether a reason is copied between two representations of one condition type, as conversions between API versions and
// apply configurations do: nothing chooses a reason there.
func (w *walker) converts(to types.Type, reason ast.Expr) bool {
	sel, ok := ast.Unparen(reason).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Reason" {
		return false
	}
	from, target := named(w.info.TypeOf(sel.X)), named(to)
	if from == nil || target == nil || from.Pkg() == target.Pkg() {
		return false
	}
	return target.Name() == from.Name() || target.Name() == from.Name()+"ApplyConfiguration"
}

// copies reports whether a literal repeats type, status and reason of one condition, in another representation of it or in a record without a
// transition time, such as an event or a protocol: nothing chooses a reason there.
func (w *walker) copies(to types.Type, k sink) bool {
	var from types.Object
	for name, v := range map[string]*assigned{"Type": k.kind, "Status": k.status, "Reason": k.reason} {
		if v == nil {
			return false
		}
		e := ast.Unparen(v.expr)
		if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 1 && w.info.Types[c.Fun].IsType() {
			e = ast.Unparen(c.Args[0])
		}
		sel, ok := e.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != name || !shaped(w.info.TypeOf(sel.X)) {
			return false
		}
		root, ok := ast.Unparen(sel.X).(*ast.Ident)
		if !ok || from != nil && w.info.ObjectOf(root) != from {
			return false
		}
		from = w.info.ObjectOf(root)
	}
	return fieldNamed(to, "LastTransitionTime") == nil || w.converts(to, k.reason.expr)
}

// named is the name of a type, or of the type that a pointer points to; nil without one.
func named(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// setter is the sink of a call of a function about conditions with a parameter called reason.
func (w *walker) setter(n *ast.CallExpr, f *types.Func) {
	sig := f.Signature()
	about := strings.ToLower(f.Name())
	if f.Pkg() != nil {
		about += " " + strings.ToLower(f.Pkg().Path()[strings.LastIndexByte(f.Pkg().Path(), '/')+1:])
	}
	if recv := sig.Recv(); recv != nil {
		about += " " + strings.ToLower(recv.Type().String()[strings.LastIndexByte(recv.Type().String(), '.')+1:])
	}
	if strings.Contains(f.Name(), "Event") || !strings.Contains(about, "condition") && !strings.HasPrefix(f.Name(), "Mark") {
		return
	}
	k := sink{in: w.in, pkg: w.pkg}
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if i >= len(n.Args) || sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		v := w.value(n.Args[i])
		name := strings.ToLower(p.Name())
		switch {
		case !isString(p.Type()):
			k.objects = append(k.objects, n.Args[i])
		case strings.HasSuffix(name, "reason"):
			k.reason, k.pos = &v, n.Args[i].Pos()
		case name == "t" || name == "condition" || strings.HasSuffix(name, "type"):
			k.kind = &v
		case strings.HasSuffix(name, "status") || strings.HasSuffix(p.Type().String(), "ConditionStatus"):
			k.status = &v
		}
	}
	if k.reason == nil || sig.Recv() != nil && w.converts(sig.Recv().Type(), k.reason.expr) {
		return
	}
	for _, word := range []string{"True", "False", "Unknown"} {
		if k.status == nil && strings.Contains(f.Name(), word) {
			k.statusText = word
		}
	}
	for _, word := range []string{"Reconciling", "Stalled"} { // the helpers of Flux
		if k.kind == nil && f.Name() == "Mark"+word {
			k.kindText, k.statusText = word, "True"
		}
	}
	w.sinks = append(w.sinks, k)
}

// constants enters constants that look like names of the vocabulary.
func (w *walker) constants(d *ast.GenDecl) {
	if d.Tok != token.CONST {
		return
	}
	for _, spec := range d.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			c, _ := w.info.Defs[name].(*types.Const)
			if c == nil || !isString(c.Type()) {
				continue
			}
			of := ""
			if n, ok := c.Type().(*types.Named); ok {
				of = n.Obj().Name()
			}
			if text := name.Name + of; strings.Contains(text, "Reason") || strings.Contains(text, "Condition") {
				w.scan.Consts = append(w.scan.Consts, source.Const{Position: w.position(name.Pos()), Name: name.Name, Value: textOf(c.Val()), Of: of})
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package goscan

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/tristate/tristate/internal/declare/source"
	"golang.org/x/tools/go/packages"
)

// sink is a place where a reason is given to a condition.
type sink struct {
	pos                  token.Pos
	in                   *function
	pkg                  *packages.Package
	kind, status, reason *assigned  // nil: not set
	to                   types.Type // of the condition that is written; nil: not known
	literal              bool       // the condition is written as a whole
	kindText, statusText string     // set by the name of a setter
	objects              []ast.Expr
}

// shaped reports whether a type is a condition: a struct, or a pointer to one, with Type, Status, Reason and Message of string kinds, of
// its own or of a struct that it embeds.
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

// fieldNamed returns an exported field of a struct, of a pointer to one, or of a struct that it embeds; nil without one.
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

// condition returns the sink of a literal, if it has a reason.
func (w *walker) condition(n *ast.CompositeLit, st *types.Struct) (sink, bool) {
	k := sink{pos: n.Pos(), in: w.in, pkg: w.pkg, to: w.info.TypeOf(n), literal: true}
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

// field returns the sink of an assignment to Reason. Type and status are those that the variable has there: of the values that the function
// assigns to it, or that its literal has, the last one in a block around the reason, and without one the last of all.
func (w *walker) field(sel *ast.SelectorExpr, v assigned) sink {
	k := sink{pos: v.expr.Pos(), in: w.in, pkg: w.pkg, to: w.info.TypeOf(sel.X), reason: &v}
	root, _ := ast.Unparen(sel.X).(*ast.Ident)
	if w.in == nil || w.in.body == nil || root == nil {
		return k
	}
	isRoot := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && w.info.ObjectOf(id) == w.info.ObjectOf(root)
	}
	around := map[string]bool{} // fields with a value in a block around the reason
	var blocks []ast.Node
	set := func(name string, e ast.Expr) {
		within := false
		for i := len(blocks) - 1; i >= 0 && !within; i-- {
			if isBlock(blocks[i]) {
				within = blocks[i].Pos() <= sel.Pos() && sel.Pos() < blocks[i].End()
				break
			}
		}
		if around[name] && !within {
			return
		}
		around[name] = around[name] || within
		value := w.value(e)
		switch name {
		case "Type":
			k.kind = &value
		case "Status":
			k.status = &value
		}
	}
	define := func(to, e ast.Expr) {
		if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok {
			e = u.X
		}
		lit, ok := ast.Unparen(e).(*ast.CompositeLit)
		if !ok || !isRoot(to) {
			return
		}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					set(id.Name, kv.Value)
				}
			}
		}
	}
	ast.Inspect(w.in.body, func(n ast.Node) bool {
		if n == nil {
			blocks = blocks[:len(blocks)-1]
			return true
		}
		blocks = append(blocks, n)
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if len(n.Lhs) != len(n.Rhs) {
					break
				}
				if other, ok := to.(*ast.SelectorExpr); ok && isRoot(other.X) {
					set(other.Sel.Name, n.Rhs[i])
				} else {
					define(to, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					define(name, n.Values[i])
				}
			}
		}
		return true
	})
	return k
}

// isBlock reports whether a node holds statements that run together.
func isBlock(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// copied reports whether a reason is copied together with the condition that it belongs to, so that the code chooses none. It is
//
//   - between two representations of one condition type, as conversions between API versions and apply configurations do;
//   - with its type into one without a transition time that no object keeps in its status: a record or an event about the condition.
func (s *scanner) copied(k sink) bool {
	reason := s.holding(k.reason, "Reason")
	if reason == nil || k.to == nil {
		return false
	}
	from, to := named(k.pkg.TypesInfo.TypeOf(reason)), named(k.to)
	if from == nil || to == nil {
		return false
	}
	if k.literal {
		if kind := s.holding(k.kind, "Type"); kind == nil || !same(k.pkg.TypesInfo, kind, reason) {
			return false
		}
		if shaped(from.Type()) && fieldNamed(to.Type(), "LastTransitionTime") == nil && !s.kept[to] {
			return true
		}
	}
	return from.Pkg() != to.Pkg() && (to.Name() == from.Name() || to.Name() == from.Name()+"ApplyConfiguration")
}

// holding returns the condition whose field a value is, behind conversions, pointers and a variable that has no other value; nil where it
// is no field of that name.
func (s *scanner) holding(a *assigned, field string) ast.Expr {
	if a == nil || a.result >= 0 {
		return nil
	}
	info, e := a.pkg.TypesInfo, a.expr
	for range maxDepth {
		switch x := ast.Unparen(e).(type) {
		case *ast.CallExpr:
			if len(x.Args) != 1 || !info.Types[x.Fun].IsType() {
				return nil
			}
			e = x.Args[0]
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		case *ast.Ident:
			v := variable(info.ObjectOf(x))
			if _, is := s.params[v]; v == nil || is || len(s.values[v]) != 1 || s.values[v][0].result >= 0 || s.values[v][0].elem ||
				s.values[v][0].key || s.values[v][0].added {
				return nil
			}
			e = s.values[v][0].expr
		case *ast.SelectorExpr:
			if x.Sel.Name == field {
				return x.X
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// same reports whether two expressions name one variable, or one field of it.
func same(info *types.Info, a, b ast.Expr) bool {
	switch a := ast.Unparen(a).(type) {
	case *ast.Ident:
		b, ok := ast.Unparen(b).(*ast.Ident)
		return ok && info.ObjectOf(a) != nil && info.ObjectOf(a) == info.ObjectOf(b)
	case *ast.SelectorExpr:
		b, ok := ast.Unparen(b).(*ast.SelectorExpr)
		return ok && a.Sel.Name == b.Sel.Name && same(info, a.X, b.X)
	case *ast.StarExpr:
		b, ok := ast.Unparen(b).(*ast.StarExpr)
		return ok && same(info, a.X, b.X)
	}
	return false
}

// keep records the types of the conditions in the status of an API object.
func (s *scanner) keep(object *types.TypeName) {
	if status := fieldNamed(object.Type(), "Status"); status != nil && fieldNamed(object.Type(), "TypeMeta") != nil {
		s.keepIn(status.Type(), maxStatus)
	}
}

const maxStatus = 4 // levels of a status at which lists of conditions are looked for

func (s *scanner) keepIn(t types.Type, levels int) {
	st := structOf(t)
	if st == nil || levels == 0 {
		return
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		list, ok := f.Type().Underlying().(*types.Slice)
		switch {
		case !ok:
			s.keepIn(f.Type(), levels-1)
		case strings.HasSuffix(f.Name(), "Conditions") && named(list.Elem()) != nil:
			s.kept[named(list.Elem())] = true
		}
	}
}

// structOf returns the struct that a type is or points to; nil without one.
func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// named returns the name of a type, or of the type that a pointer points to; nil without one.
func named(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// setter records the sink of a call of a function about conditions with a parameter called reason.
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
	if k.reason == nil {
		return
	}
	if sig.Recv() != nil {
		k.to = sig.Recv().Type()
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

// vocabulary matches the names of constants of condition types and reasons.
var vocabulary = regexp.MustCompile(`Reason|Condition|^Type[A-Z]`)

// constants records constants that look like names of the vocabulary.
func (w *walker) constants(d *ast.GenDecl) {
	if d.Tok != token.CONST || !w.asked {
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		doc := spec.Doc
		if doc == nil {
			doc = spec.Comment
		}
		if doc == nil && len(d.Specs) == 1 {
			doc = d.Doc
		}
		for _, name := range spec.Names {
			c, _ := w.info.Defs[name].(*types.Const)
			if c == nil || !isString(c.Type()) {
				continue
			}
			of := ""
			if n, ok := c.Type().(*types.Named); ok {
				of = n.Obj().Name()
			}
			if vocabulary.MatchString(name.Name + of) {
				w.scan.Consts = append(w.scan.Consts, source.Const{Position: w.position(name.Pos()), Name: name.Name,
					Value: textOf(c.Val()), Of: of, Doc: strings.TrimSpace(doc.Text())})
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package crossplane

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/tristate/tristate/internal/read/export/flux"
)

// lower writes an expression for Flux again without optional types. The top-level fields, which are variables there, are bound to those of
// object, and the list of conditions to a name, since each of them occurs often and the function compiles an expression each time.
func lower(source, list string, roots map[string]bool) (string, error) {
	l := &lowering{f: ast.NewExprFactory(), roots: maps.Clone(roots), used: map[string]bool{}}
	body, listed := l.text(source), l.text(list)
	if l.err != nil {
		return "", l.err
	}
	if short := strings.ReplaceAll(body, "("+listed+")", "list_"); short != body {
		body = fmt.Sprintf("[%s].exists(list_, %s)", listed, short)
	}
	for _, name := range slices.Sorted(maps.Keys(l.used)) {
		body = fmt.Sprintf("[has(object.%s) ? object.%s : {}].exists(%s, %s)", name, name, name, body)
	}
	return body, nil
}

// lowering writes expressions. They have no identity: only their text is used.
type lowering struct {
	f     ast.ExprFactory
	roots map[string]bool // the variables that are top-level fields; a macro may hide one
	used  map[string]bool // those that occur
	err   error
}

// text writes an expression for Flux.
func (l *lowering) text(source string) string {
	e, err := flux.Parse(source)
	if err == nil {
		source, err = cel.ExprToString(l.value(e), ast.NewSourceInfo(nil))
	}
	l.err = errors.Join(l.err, err)
	return source
}

func (l *lowering) call(name string, args ...ast.Expr) ast.Expr { return l.f.NewCall(0, name, args...) }
func (l *lowering) has(field ast.Expr) ast.Expr                 { return l.call("has", field) }

// root returns the top-level field that an optional value is; nil where it is none.
func (l *lowering) root(e ast.Expr) ast.Expr {
	if e.Kind() != ast.CallKind {
		return nil
	}
	c := e.AsCall()
	if c.FunctionName() == "of" && c.IsMemberFunction() && c.Target().Kind() == ast.IdentKind && c.Target().AsIdent() == "optional" &&
		c.Args()[0].Kind() == ast.IdentKind && l.roots[c.Args()[0].AsIdent()] {
		return c.Args()[0]
	}
	return nil
}

// and joins questions, the first of which may be nil for true.
func (l *lowering) and(a, b ast.Expr) ast.Expr {
	if a == nil {
		return b
	}
	return l.call(operators.LogicalAnd, a, b)
}

// optional writes an optional value: whether it is there, nil for always, and what it is then. An expression that is no optional value is
// there.
func (l *lowering) optional(e ast.Expr) (there, value ast.Expr) {
	if e.Kind() != ast.CallKind {
		return nil, l.value(e)
	}
	c := e.AsCall()
	switch args := c.Args(); c.FunctionName() {
	case "of":
		if root := l.root(e); root != nil {
			return l.has(l.f.NewSelect(0, l.f.NewIdent(0, "object"), root.AsIdent())), l.value(root)
		}
		return nil, l.value(args[0])
	case operators.OptSelect:
		name, ok := args[1].AsLiteral().Value().(string)
		if !ok {
			break
		}
		if there, value = l.optional(args[0]); l.root(args[0]) != nil {
			there = nil // it is bound to an empty map where it is absent
		}
		value = l.f.NewSelect(0, value, name)
		return l.and(there, l.has(value)), value
	case operators.OptIndex:
		there, value = l.optional(args[0])
		key := l.key(args[1])
		inside := l.call(operators.In, key, value)
		if key.Kind() != ast.LiteralKind || key.AsLiteral().Type() != types.StringType {
			inside = l.call(operators.Conditional, l.call(operators.Equals, l.call("type", value), l.f.NewIdent(0, "list")),
				l.call(operators.Less, key, l.call("size", value)), inside)
		}
		return l.and(there, inside), l.index(value, key)
	}
	return nil, l.value(e)
}

// value writes an expression that is no optional value. All numbers of an object are floats, which add up with floats only: so are those of
// the expression.
func (l *lowering) value(e ast.Expr) ast.Expr {
	switch e.Kind() {
	case ast.LiteralKind:
		if n, ok := e.AsLiteral().(types.Int); ok {
			return l.f.NewLiteral(0, types.Double(n))
		}
	case ast.IdentKind:
		if l.roots[e.AsIdent()] {
			l.used[e.AsIdent()] = true
		}
	case ast.SelectKind:
		return l.f.NewSelect(0, l.value(e.AsSelect().Operand()), e.AsSelect().FieldName())
	case ast.ListKind:
		return l.f.NewList(0, l.values(e.AsList().Elements()), nil)
	case ast.MapKind:
		var out []ast.EntryExpr
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			out = append(out, l.f.NewMapEntry(0, l.value(m.Key()), l.value(m.Value()), false))
		}
		return l.f.NewMap(0, out)
	case ast.CallKind:
		return l.called(e.AsCall())
	}
	return e
}

func (l *lowering) called(c ast.CallExpr) ast.Expr {
	name, args := c.FunctionName(), c.Args()
	switch {
	case name == operators.OptSelect, name == operators.OptIndex:
		l.err = fmt.Errorf("an optional value that nothing asks for: %s", name)
		return l.f.NewLiteral(0, types.False)
	case name == operators.LogicalAnd && args[0].Kind() == ast.LiteralKind && args[0].AsLiteral() == types.True:
		return l.value(args[1])
	case name == operators.Index:
		return l.index(l.value(args[0]), l.key(args[1]))
	case name == "int", name == "size" && !c.IsMemberFunction():
		return l.call("double", l.call(name, l.values(args)...))
	case !c.IsMemberFunction():
		return l.call(name, l.values(args)...)
	case name == "hasValue":
		if there, _ := l.optional(c.Target()); there != nil {
			return there
		}
		return l.f.NewLiteral(0, types.True)
	case name == "orValue":
		there, value := l.optional(c.Target())
		if there == nil {
			return value
		}
		return l.call(operators.Conditional, there, value, l.value(args[0]))
	case name == "value":
		_, value := l.optional(c.Target())
		return value
	case slices.Contains([]string{"exists", "all", "exists_one", "map", "filter"}, name) && len(args) > 1:
		target, variable := l.value(c.Target()), args[0].AsIdent()
		hidden := l.roots[variable]
		l.roots[variable] = false
		out := append([]ast.Expr{args[0]}, l.values(args[1:])...)
		l.roots[variable] = hidden
		return l.f.NewMemberCall(0, name, target, out...)
	}
	out := l.f.NewMemberCall(0, name, l.value(c.Target()), l.values(args)...)
	if name == "size" {
		out = l.call("double", out)
	}
	return out
}

// key writes what an element is asked for by: a number is one of a list.
func (l *lowering) key(e ast.Expr) ast.Expr {
	if e.Kind() == ast.LiteralKind {
		return e
	}
	return l.value(e)
}

// index writes an element. The CEL of the function converts that of a constant key only where its type is hidden: int(object.a["b"]) is an
// error there.
func (l *lowering) index(value, key ast.Expr) ast.Expr {
	e := l.call(operators.Index, value, key)
	if key.Kind() == ast.LiteralKind && key.AsLiteral().Type() == types.StringType {
		e = l.call("dyn", e)
	}
	return e
}

func (l *lowering) values(list []ast.Expr) []ast.Expr {
	out := make([]ast.Expr, len(list))
	for i, e := range list {
		out[i] = l.value(e)
	}
	return out
}

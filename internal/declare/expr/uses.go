// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Uses lists the inputs of an expression.
type Uses struct {
	Names      []Name              // related.X and variables.X, in order of place
	Conditions []ConditionName     // condition(x, 'Type') with a literal type
	Paths      map[string][]string // dotted field paths by root: self, item, related.X; "" is the whole object
}

// Name is one mention of related.X or variables.X.
type Name struct {
	Of, Name     string // Of is related or variables
	Line, Column int
}

// ConditionName is one mention of a condition.
type ConditionName struct {
	Root, Type   string // Root as in Paths, "" where it is not known
	Line, Column int
}

// usesOf walks the checked expression. constants reports whether it calls a function with one, such as a pattern or a duration, which may
// be wrong.
func usesOf(checked *cel.Ast) (uses Uses, constants bool) {
	native := checked.NativeRep()
	w := &walker{info: native.SourceInfo(), uses: Uses{Paths: map[string][]string{}}, bound: map[string]access{}, elements: map[string]bool{}}
	w.visit(native.Expr())
	for root, paths := range w.uses.Paths {
		slices.Sort(paths)
		w.uses.Paths[root] = slices.Compact(paths)
	}
	return w.uses, w.constants
}

// access is a path that an expression reads: fields below a root. An access without a root is a computed value.
type access struct {
	root string
	path []string
}

type walker struct {
	info  *ast.SourceInfo
	uses  Uses
	bound map[string]access // comprehension variables
	// elements are the comprehension variables that only move from list to list.
	elements  map[string]bool
	constants bool
}

// visit records everything that e reads.
func (w *walker) visit(e ast.Expr) {
	if a := w.resolve(e); a.root != "" && a.root != "related" && a.root != "variables" {
		w.record(a)
	}
}

// record adds a path. A key with a dot, such as that of an annotation, has no place in a dotted path: all of the map that has it is read.
func (w *walker) record(a access) {
	if i := slices.IndexFunc(a.path, func(field string) bool { return strings.Contains(field, ".") }); i >= 0 {
		a.path = a.path[:i]
	}
	w.uses.Paths[a.root] = append(w.uses.Paths[a.root], strings.Join(a.path, "."))
}

// resolve returns the path that e reads; everything read on the way to a computed value is recorded.
func (w *walker) resolve(e ast.Expr) access {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		if a, ok := w.bound[name]; ok {
			return a
		}
		switch name {
		case "self", "item", "related", "variables":
			return access{root: name}
		}
	case ast.SelectKind:
		s := e.AsSelect()
		a := w.step(w.resolve(s.Operand()), s.FieldName(), e)
		if s.IsTestOnly() && len(a.path) == 0 {
			return access{} // has(related.X) asks only whether it is there
		}
		return a
	case ast.CallKind:
		return w.call(e)
	case ast.ComprehensionKind:
		return w.comprehension(e.AsComprehension())
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			if item.Kind() == ast.IdentKind && w.elements[item.AsIdent()] {
				continue // filter keeps its elements, whose fields count when they are read: see comprehension
			}
			w.visit(item)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			w.visit(entry.AsMapEntry().Key())
			w.visit(entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			w.visit(field.AsStructField().Value())
		}
	}
	return access{}
}

// step returns the access of a field of another one.
func (w *walker) step(a access, field string, at ast.Expr) access {
	switch a.root {
	case "":
		return a
	case "related", "variables":
		if len(a.path) == 0 {
			location := w.info.GetStartLocation(at.ID())
			w.uses.Names = append(w.uses.Names, Name{a.root, field, location.Line(), location.Column() + 1})
			if a.root == "variables" {
				return access{}
			}
			return access{root: "related." + field}
		}
	}
	return access{a.root, append(slices.Clone(a.path), field)}
}

func (w *walker) call(e ast.Expr) access {
	c := e.AsCall()
	arguments := c.Args()
	switch name := c.FunctionName(); {
	case (name == "_[_]" || name == "_?._" || name == "_[?_]") && len(arguments) == 2:
		a := w.resolve(arguments[0])
		if key, ok := literal(arguments[1]); ok {
			return w.step(a, key, e)
		}
		w.visit(arguments[1])
		return a // reading a field of an item reads the item; a computed key below may be any
	case name == "__condition" && len(arguments) == 3:
		a := w.resolve(arguments[1])
		if conditionType, ok := literal(arguments[2]); ok {
			location := w.info.GetStartLocation(arguments[2].ID())
			root := a.root
			if len(a.path) > 0 {
				root = ""
			}
			w.uses.Conditions = append(w.uses.Conditions, ConditionName{root, conditionType, location.Line(), location.Column() + 1})
		}
		if a.root != "" && a.root != "related" && len(a.path) == 0 {
			w.record(access{a.root, []string{"status", "conditions"}})
		}
		return access{}
	case name == "size" && !c.IsMemberFunction() && len(arguments) == 1:
		w.countOnly(arguments[0])
		return access{}
	case name == "size" && c.IsMemberFunction():
		w.countOnly(c.Target())
		return access{}
	}
	if c.IsMemberFunction() {
		w.visit(c.Target())
	}
	for _, argument := range arguments {
		w.constants = w.constants || argument.Kind() == ast.LiteralKind && !operators(c.FunctionName())
		w.visit(argument)
	}
	return access{}
}

// operators have names that no author can write, and take any constant.
func operators(function string) bool { return strings.ContainsAny(function[:1], "_!@-") }

// countOnly records the inputs of the size of e: of related objects only their existence.
func (w *walker) countOnly(e ast.Expr) {
	if a := w.resolve(e); a.root != "" && (len(a.path) > 0 || !strings.HasPrefix(a.root, "related.")) {
		w.record(a)
	}
}

func (w *walker) comprehension(c ast.ComprehensionExpr) access {
	over := w.resolve(c.IterRange())
	if over.root != "" && !strings.HasPrefix(over.root, "related.") {
		w.record(over)
	}
	outer, had := w.bound[c.IterVar()]
	w.bound[c.IterVar()] = over
	keeps := c.AccuInit().Kind() == ast.ListKind // filter and map return a list, all and exists do not
	w.elements[c.IterVar()] = keeps
	w.visit(c.AccuInit())
	w.visit(c.LoopCondition())
	w.visit(c.LoopStep())
	w.visit(c.Result())
	delete(w.bound, c.IterVar())
	delete(w.elements, c.IterVar())
	if had {
		w.bound[c.IterVar()] = outer
	}
	if keeps {
		return over
	}
	return access{}
}

func literal(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// False reports whether the expression is the constant false.
func (p *Program) False() bool {
	e := p.Root()
	return e.Kind() == ast.LiteralKind && e.AsLiteral() == types.False
}

// Equalities returns the two sides of each equality among the conjuncts (a && b && ...) of the expression, as source.
func (p *Program) Equalities() [][2]string {
	var out [][2]string
	checked := p.ast().NativeRep()
	var walk func(ast.Expr)
	walk = func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		switch c := e.AsCall(); c.FunctionName() {
		case "_&&_":
			for _, a := range c.Args() {
				walk(a)
			}
		case "_==_":
			left, errLeft := cel.ExprToString(c.Args()[0], checked.SourceInfo())
			right, errRight := cel.ExprToString(c.Args()[1], checked.SourceInfo())
			if errLeft == nil && errRight == nil {
				out = append(out, [2]string{left, right})
			}
		}
	}
	walk(checked.Expr())
	return out
}

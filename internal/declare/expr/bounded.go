// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"github.com/google/cel-go/common/ast"
	op "github.com/google/cel-go/common/operators"
)

// bounded reports whether an expression costs no more than a few readings of its object, whatever the object is: a loop in a loop runs over
// fields of the item, no function in a loop reads text or lists other than those of the item or of the expression, and no value grows by
// more than the size of the object and the expression. To count the cost of such an expression while it runs takes ten times as long as the
// run itself.
func bounded(e ast.Expr) bool { return bounds{}.expr(e) }

// bounds are the variables of the loop around an expression; outside of a loop there are none.
type bounds struct{ item, second, result string }

func (b bounds) inLoop() bool { return b.result != "" }

func (b bounds) expr(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind, ast.IdentKind:
		return true
	case ast.SelectKind:
		return b.expr(e.AsSelect().Operand())
	case ast.ListKind:
		return b.all(e.AsList().Elements())
	case ast.MapKind:
		return constant(e)
	case ast.CallKind:
		return b.call(e.AsCall())
	case ast.ComprehensionKind:
		return b.loop(e.AsComprehension())
	}
	return false
}

func (b bounds) all(list []ast.Expr) bool {
	for _, e := range list {
		if !b.expr(e) {
			return false
		}
	}
	return true
}

// cheap are functions whose cost does not depend on their arguments.
var cheap = map[string]bool{
	op.LogicalAnd: true, op.LogicalOr: true, op.LogicalNot: true, op.Conditional: true, op.NotStrictlyFalse: true,
	op.Index: true, op.OptIndex: true, op.OptSelect: true, op.Negate: true, op.Subtract: true,
	"orValue": true, "or": true, "hasValue": true, "value": true, "optional.none": true, "optional.of": true,
}

// linear are functions that read their arguments once, and return nothing that is larger.
var linear = map[string]bool{
	op.Equals: true, op.NotEquals: true, op.Less: true, op.LessEquals: true, op.Greater: true, op.GreaterEquals: true,
	op.In: true, "size": true, "startsWith": true, "endsWith": true, "contains": true, "matches": true, "lowerAscii": true, "upperAscii": true,
	"int": true, "double": true, "bool": true, "string": true, "duration": true, "timestamp": true, "type": true, "trim": true, "sum": true,
	"split":       true,
	"__condition": true, "__backend": true, "serves": true, "__after": true, "__now": true, "quantity": true, "isLessThan": true, "isGreaterThan": true,
}

func (b bounds) call(c ast.CallExpr) bool {
	args := c.Args()
	if c.IsMemberFunction() && !b.expr(c.Target()) || !b.all(args) {
		return false
	}
	switch name := c.FunctionName(); {
	case cheap[name]:
		return true
	case name == op.Add:
		return b.sum(c) || b.grows(args)
	case !linear[name]:
		return false
	case b.inLoop():
		return name != "__condition" && name != "__backend" && name != "serves" && b.small(c)
	}
	return true
}

// grows reports whether one item is added to the list of results.
func (b bounds) grows(args []ast.Expr) bool {
	return b.inLoop() && args[0].Kind() == ast.IdentKind && args[0].AsIdent() == b.result && args[1].Kind() == ast.ListKind
}

// sum reports whether values are added of which at most one is not a constant or, outside of a loop, all are fields of the object: a value
// that is added to itself again and again would double.
func (b bounds) sum(c ast.CallExpr) bool {
	args := c.Args()
	if constant(args[0]) || constant(args[1]) {
		return true
	}
	for _, e := range args {
		if sub := e; sub.Kind() == ast.CallKind && sub.AsCall().FunctionName() == op.Add {
			if !b.sum(sub.AsCall()) {
				return false
			}
		} else if b.inLoop() || !(bounds{item: "self"}).own(e) {
			return false
		}
	}
	return true
}

// small reports whether a function in a loop reads only fields of the item and constants; of two sides that are compared one is enough.
func (b bounds) small(c ast.CallExpr) bool {
	args := c.Args()
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	switch c.FunctionName() {
	case op.Equals, op.NotEquals, op.Less, op.LessEquals, op.Greater, op.GreaterEquals:
		return constant(args[0]) || constant(args[1]) || b.own(args[0]) || b.own(args[1]) // the smaller side is read
	case op.In:
		if constant(args[1]) {
			return true
		}
	}
	for _, e := range args {
		if !constant(e) && !b.own(e) {
			return false
		}
	}
	return true
}

// own reports whether a value is the item of the loop or a field of it.
func (b bounds) own(e ast.Expr) bool {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent() == b.item || e.AsIdent() == b.second
	case ast.SelectKind:
		return b.own(e.AsSelect().Operand())
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case op.OptSelect, op.OptIndex, op.Index:
			return b.own(c.Args()[0]) && (len(c.Args()) < 2 || constant(c.Args()[1]))
		case "orValue":
			return b.own(c.Target()) && constant(c.Args()[0])
		}
	}
	return false
}

// constant reports whether a value is a constant of the expression.
func constant(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		return true
	case ast.ListKind:
		for _, one := range e.AsList().Elements() {
			if !constant(one) {
				return false
			}
		}
		return true
	case ast.MapKind:
		return len(e.AsMap().Entries()) == 0
	case ast.CallKind: // duration('15m')
		c := e.AsCall()
		return (c.FunctionName() == "duration" || c.FunctionName() == op.Negate) && len(c.Args()) == 1 && constant(c.Args()[0])
	}
	return false
}

func (b bounds) loop(c ast.ComprehensionExpr) bool {
	if b.inLoop() && !b.own(c.IterRange()) || !b.expr(c.IterRange()) || !b.expr(c.AccuInit()) || !b.expr(c.Result()) {
		return false
	}
	in := bounds{item: c.IterVar(), second: c.IterVar2(), result: c.AccuVar()}
	return in.expr(c.LoopCondition()) && in.expr(c.LoopStep())
}

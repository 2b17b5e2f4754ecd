// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
)

// Absent lists the comparisons of rules and variables with zero, false or empty that do not say what it means that the field is absent. A
// field of Go that is left out when it is empty is never zero, and a rule that reads a field which is not there does not hold. A rule says
// it with has(self.status.field), or with self.status.?field.orValue(value).
func Absent(k *catalog.Kind) []string {
	var out []string
	look := func(place string, p *expr.Program) {
		if p == nil {
			return
		}
		for _, field := range comparedWithZero(p.Root()) {
			out = append(out, fmt.Sprintf("%s: %s: %s is compared with zero, and may be absent", k.Source.Metadata.Name, place, field))
		}
	}
	for i := range k.Verdicts {
		look(fmt.Sprintf("verdicts[%d]", i), k.Verdicts[i].When)
	}
	for _, v := range k.Variables {
		look("variables."+v.Name, v.Program)
	}
	return out
}

// comparedWithZero returns the fields of the status that an expression compares with zero, and of which it does not ask whether they are
// there.
func comparedWithZero(root ast.Expr) []string {
	var fields []string
	asked := map[string]bool{}
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			if e.AsSelect().IsTestOnly() {
				asked[statusField(e)] = true
			}
		case ast.CallKind:
			c := e.AsCall()
			switch args := c.Args(); c.FunctionName() {
			case operators.LogicalNot:
				fields = append(fields, statusField(args[0]))
			case operators.Equals:
				for i, other := range []int{1, 0} {
					if zero(args[other]) {
						fields = append(fields, statusField(sized(args[i])))
					}
				}
			}
		}
	}))
	return slices.DeleteFunc(fields, func(f string) bool { return f == "" || asked[f] })
}

// sized returns the list or map whose size an expression is, or else the expression.
func sized(e ast.Expr) ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return e
	}
	if c := e.AsCall(); c.IsMemberFunction() {
		return c.Target()
	}
	return e.AsCall().Args()[0]
}

// zero reports whether an expression is the constant 0, false or the empty text.
func zero(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	switch v := e.AsLiteral(); v {
	case types.IntZero, types.False, types.String(""):
		return true
	}
	return false
}

// statusField returns the path of a field of the status, such as self.status.replicas; empty if the expression is anything else.
func statusField(e ast.Expr) string {
	var names []string
	for e.Kind() == ast.SelectKind {
		names = append(names, e.AsSelect().FieldName())
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind || e.AsIdent() != "self" || len(names) < 2 || names[len(names)-1] != "status" {
		return ""
	}
	slices.Reverse(names)
	return "self." + strings.Join(names, ".")
}

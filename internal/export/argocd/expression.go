// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// translator writes the checked expressions of one kind in Lua.
type translator struct {
	variables map[string]string // by the name in the catalog: the local name of a function
	missing   string            // the first thing that Lua cannot have
}

// functions maps the functions of CEL to their names in expressions.lua.
var functions = map[string]string{
	operators.LogicalAnd: "both", operators.LogicalOr: "either", operators.LogicalNot: "negate", operators.Conditional: "choose",
	operators.Equals: "equal", operators.NotEquals: "unequal", operators.Less: "less", operators.LessEquals: "lessEqual",
	operators.In: "within", operators.Add: "plus", operators.Subtract: "minus",
	operators.Index: "index", operators.OptSelect: "maybe", operators.OptIndex: "maybe",
	"size": "size", "string": "str", "int": "int", "orValue": "orValue", "hasValue": "hasValue", "value": "value", "optional.of": "opt",
	"startsWith": "starts", "endsWith": "ends", "contains": "contains", "lowerAscii": "lower", "join": "join", "sort": "sort", "sum": "sum",
	"flatten": "flatten", "distinct": "distinct",
}

// swapped are the comparisons that are written the other way around.
var swapped = map[string]string{operators.Greater: "less", operators.GreaterEquals: "lessEqual"}

// lua writes an expression. A part that Lua cannot have sets missing.
func (t *translator) lua(e ast.Expr) string {
	switch e.Kind() {
	case ast.LiteralKind:
		return t.literal(e)
	case ast.IdentKind:
		if name := e.AsIdent(); name != "self" {
			return local(name)
		}
		return "obj"
	case ast.SelectKind:
		s := e.AsSelect()
		if s.Operand().Kind() == ast.IdentKind && s.Operand().AsIdent() == "variables" {
			if f := t.variables[s.FieldName()]; f != "" && !s.IsTestOnly() {
				return f + "()"
			}
			return t.lacks("variables." + s.FieldName())
		}
		f := "field"
		if s.IsTestOnly() {
			f = "has"
		}
		return f + "(" + t.lua(s.Operand()) + ", " + quote(s.FieldName()) + ")"
	case ast.ListKind:
		if len(e.AsList().OptionalIndices()) > 0 {
			return t.lacks("an optional element")
		}
		return "array({" + t.all(e.AsList().Elements()) + "})"
	case ast.MapKind:
		var out []string
		for _, entry := range e.AsMap().Entries() {
			m := entry.AsMapEntry()
			if m.IsOptional() {
				return t.lacks("an optional entry")
			}
			out = append(out, "["+t.lua(m.Key())+"] = "+t.lua(m.Value()))
		}
		return "{" + strings.Join(out, ", ") + "}"
	case ast.ComprehensionKind:
		return t.comprehension(e.AsComprehension())
	case ast.CallKind:
		return t.call(e.AsCall())
	}
	return t.lacks("an expression")
}

func (t *translator) literal(e ast.Expr) string {
	switch v := e.AsLiteral().(type) {
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Double:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.String:
		return quote(string(v))
	}
	return t.lacks("a literal of type " + e.AsLiteral().Type().TypeName())
}

func (t *translator) call(c ast.CallExpr) string {
	args := c.Args()
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	switch name := c.FunctionName(); name {
	case "__condition":
		return "condition(" + t.lua(args[1]) + ", " + t.lua(args[2]) + ")"
	case "optional.none":
		return "N"
	case operators.NotStrictlyFalse:
		return "true"
	case operators.Greater, operators.GreaterEquals:
		return swapped[name] + "(" + t.lua(args[1]) + ", " + t.lua(args[0]) + ")"
	case "__after", "__now":
		return t.lacks("time")
	default:
		if f := functions[name]; f != "" {
			return f + "(" + t.all(args) + ")"
		}
		return t.lacks("function " + name)
	}
}

// comprehension writes a loop to its end: one that could end earlier has the same result.
func (t *translator) comprehension(c ast.ComprehensionExpr) string {
	if c.IterVar2() != "" {
		return t.lacks("a loop with two variables")
	}
	accu := local(c.AccuVar())
	return fmt.Sprintf("(function(%[1]s) return %[2]s end)(fold(%[3]s, %[4]s, function(%[5]s, %[1]s) return %[6]s end))",
		accu, t.lua(c.Result()), t.lua(c.IterRange()), t.lua(c.AccuInit()), local(c.IterVar()), t.lua(c.LoopStep()))
}

func (t *translator) all(list []ast.Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = t.lua(e)
	}
	return strings.Join(out, ", ")
}

func (t *translator) lacks(what string) string {
	if t.missing == "" {
		t.missing = what
	}
	return "E"
}

// local returns the name of a variable of an expression, which is no other word of the script.
func local(name string) string {
	return "v_" + strings.NewReplacer("@", "_", "#", "_").Replace(name)
}

// translate writes a program of a catalog. It returns what Lua lacks for it, if anything.
func translate(root ast.Expr, variables map[string]string) (lua, missing string) {
	t := &translator{variables: variables}
	lua = t.lua(root)
	return lua, t.missing
}

// variablesOf writes the variables of a kind as functions that keep their value. A variable that Lua cannot have is left out, and so is
// every rule that reads it.
func variablesOf(k *catalog.Kind) (lua string, names map[string]string) {
	var b strings.Builder
	names = map[string]string{}
	for i, v := range k.Variables {
		body, missing := translate(v.Program.Root(), names)
		if missing != "" {
			continue
		}
		f := fmt.Sprintf("variable%d", i+1)
		fmt.Fprintf(&b, "local %[1]s_value\nlocal function %[1]s()\n  if %[1]s_value == nil then %[1]s_value = %[2]s end\n  return "+
			"%[1]s_value\nend\n", f, body)
		names[v.Name] = f
	}
	return b.String(), names
}

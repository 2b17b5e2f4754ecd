// SPDX-License-Identifier: Apache-2.0

package flux

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// plain parses expressions without expanding macros, so that they can be written again.
var plain = sync.OnceValues(func() (*cel.Env, error) { return cel.NewEnv(cel.OptionalTypes(), cel.ClearMacros()) })

// translator writes expressions of one catalog as total expressions over the top-level fields of an object.
type translator struct {
	variables map[string]ast.Expr
	missing   string // the first thing that Flux lacks
	list      string // the list of conditions
}

func newTranslator(k *catalog.Kind) (*translator, error) {
	t := &translator{variables: map[string]ast.Expr{}, list: listOf(k.Path)}
	for _, v := range k.Variables {
		e, err := parse(v.Program.Source)
		if err != nil {
			return nil, err
		}
		t.variables[v.Name] = e
	}
	return t, nil
}

// parse parses an expression with optional types, and leaves its macros as calls.
func parse(source string) (ast.Expr, error) {
	env, err := plain()
	if err != nil {
		return nil, err
	}
	parsed, issues := env.Parse(source)
	if issues != nil && issues.Err() != nil {
		return nil, issues.Err()
	}
	return parsed.NativeRep().Expr(), nil
}

// holds writes whether an expression is true, or false; what the expression needs and Flux lacks is returned.
func (t *translator) holds(source string) (text, missing string) {
	e, err := parse(source)
	if err != nil {
		return "", err.Error()
	}
	t.missing = ""
	text = t.is(e, true)
	return text, t.missing
}

// is writes the question whether a bool is want.
func (t *translator) is(e ast.Expr, want bool) string {
	and, or := " && ", " || "
	if !want {
		and, or = or, and
	}
	switch e.Kind() {
	case ast.LiteralKind:
		return strconv.FormatBool(e.AsLiteral() == types.Bool(want))
	case ast.CallKind:
		c := e.AsCall()
		args := c.Args()
		switch name := c.FunctionName(); name {
		case operators.LogicalAnd:
			return "(" + t.is(args[0], want) + and + t.is(args[1], want) + ")"
		case operators.LogicalOr:
			return "(" + t.is(args[0], want) + or + t.is(args[1], want) + ")"
		case operators.LogicalNot:
			return t.is(args[0], !want)
		case operators.Conditional:
			return fmt.Sprintf("(%s && %s || %s && %s)", t.is(args[0], true), t.is(args[1], want), t.is(args[0], false), t.is(args[2], want))
		case "has":
			text := t.optional(args[0]) + ".hasValue()"
			if !want {
				text = "!" + text
			}
			return text
		case "exists", "all":
			if c.IsMemberFunction() && len(args) == 2 {
				macro := name
				if !want {
					macro = map[string]string{"exists": "all", "all": "exists"}[name]
				}
				return fmt.Sprintf("(%s && %s.%s(%s, %s))", t.defined(c.Target()), t.value(c.Target()), macro, args[0].AsIdent(), t.is(args[1], want))
			}
		}
	}
	text := t.value(e)
	if !want {
		text = "(" + text + ") == false"
	} else {
		text = "(" + text + ") == true"
	}
	return "(" + t.defined(e) + " && " + text + ")"
}

// defined writes the question whether an expression has a value.
func (t *translator) defined(e ast.Expr) string {
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		op := s.Operand()
		switch {
		case isIdent(op, "variables"):
			return t.defined(t.variable(s.FieldName()))
		case isIdent(op, "self"), isCondition(op):
			return "true"
		}
		return t.optional(e) + ".hasValue()"
	case ast.ListKind:
		return t.allDefined(e.AsList().Elements())
	case ast.CallKind:
		c := e.AsCall()
		args := c.Args()
		switch name := c.FunctionName(); name {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, "exists", "all":
			return "(" + t.is(e, true) + " || " + t.is(e, false) + ")"
		case "has", "condition":
			return "true"
		case operators.Conditional:
			return fmt.Sprintf("(%s && %s || %s && %s)", t.is(args[0], true), t.defined(args[1]), t.is(args[0], false), t.defined(args[2]))
		case operators.Index:
			return fmt.Sprintf("(%s && %s[?%s].hasValue())", t.allDefined(args), t.value(args[0]), t.value(args[1]))
		case operators.OptSelect:
			return t.defined(args[0])
		case "orValue": // the other value is used if the first is missing
			there, other := t.defined(c.Target()), t.defined(args[0])
			if other == "true" {
				return there
			}
			return fmt.Sprintf("(%s && (%s.hasValue() || %s))", there, t.value(c.Target()), other)
		case "map", "filter":
			return fmt.Sprintf("(%s && %s.all(%s, %s))", t.defined(c.Target()), t.value(c.Target()), args[0].AsIdent(), t.defined(args[len(args)-1]))
		}
		if c.IsMemberFunction() {
			args = append([]ast.Expr{c.Target()}, args...)
		}
		return t.allDefined(args)
	}
	return "true"
}

func (t *translator) allDefined(list []ast.Expr) string {
	var parts []string
	for _, e := range list {
		if d := t.defined(e); d != "true" && !slices.Contains(parts, d) {
			parts = append(parts, d)
		}
	}
	if len(parts) == 0 {
		return "true"
	}
	return "(" + strings.Join(parts, " && ") + ")"
}

// optional writes a field, or another value, as an optional value.
func (t *translator) optional(e ast.Expr) string {
	if e.Kind() == ast.SelectKind {
		s := e.AsSelect()
		if !isIdent(s.Operand(), "self") && !isIdent(s.Operand(), "variables") && !isCondition(s.Operand()) {
			return t.optional(s.Operand()) + ".?" + field(s.FieldName())
		}
	}
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.OptSelect {
		return t.value(e)
	}
	if e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Index {
		return t.optional(e.AsCall().Args()[0]) + "[?" + t.value(e.AsCall().Args()[1]) + "]"
	}
	return "optional.of(" + t.value(e) + ")"
}

// binary are the operators that are written between their operands.
var binary = map[string]string{operators.Equals: "==", operators.NotEquals: "!=", operators.Less: "<", operators.LessEquals: "<=",
	operators.Greater:       ">",
	operators.GreaterEquals: ">=", operators.Add: "+", operators.Subtract: "-", operators.Multiply: "*", operators.In: "in",
	operators.LogicalAnd: "&&", operators.LogicalOr: "||"}

// known are the functions that Flux has.
var known = []string{"size", "string", "int", "orValue", "hasValue", "value", "startsWith", "endsWith", "contains", "matches", "lowerAscii",
	"join", "split",
	"map", "filter", "exists", "all", "optMap", "optFlatMap", "type"}

// value writes an expression for Flux.
func (t *translator) value(e ast.Expr) string {
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.String:
			return strconv.Quote(string(v))
		case types.Int:
			return strconv.FormatInt(int64(v), 10)
		case types.Double:
			return strconv.FormatFloat(float64(v), 'f', -1, 64)
		case types.Bool:
			return strconv.FormatBool(bool(v))
		case types.Null:
			return "null"
		}
	case ast.IdentKind:
		if name := e.AsIdent(); name != "self" && name != "variables" {
			return name
		}
		return t.lacks("the complete object")
	case ast.SelectKind:
		s := e.AsSelect()
		op := s.Operand()
		switch {
		case isIdent(op, "self"):
			return s.FieldName()
		case isIdent(op, "variables"):
			return "(" + t.value(t.variable(s.FieldName())) + ")"
		case isCondition(op):
			absent := ""
			if s.FieldName() == "status" {
				absent = "Unknown"
			}
			return fmt.Sprintf("%s.?%s.orValue(%q)", t.condition(op), s.FieldName(), absent)
		}
		return t.value(op) + "." + field(s.FieldName())
	case ast.ListKind:
		return "[" + t.values(e.AsList().Elements()) + "]"
	case ast.MapKind:
		var out []string
		for _, entry := range e.AsMap().Entries() {
			out = append(out, t.value(entry.AsMapEntry().Key())+": "+t.value(entry.AsMapEntry().Value()))
		}
		return "{" + strings.Join(out, ", ") + "}"
	case ast.CallKind:
		return t.call(e.AsCall())
	}
	return t.lacks("an expression")
}

func (t *translator) call(c ast.CallExpr) string {
	name, args := c.FunctionName(), c.Args()
	switch {
	case binary[name] != "":
		return "(" + t.value(args[0]) + " " + binary[name] + " " + t.value(args[1]) + ")"
	case name == operators.LogicalNot:
		return "!(" + t.value(args[0]) + ")"
	case name == operators.Negate:
		return "-(" + t.value(args[0]) + ")"
	case name == operators.Conditional:
		return "(" + t.value(args[0]) + " ? " + t.value(args[1]) + " : " + t.value(args[2]) + ")"
	case name == operators.Index:
		return t.value(args[0]) + "[" + t.value(args[1]) + "]"
	case name == operators.OptIndex:
		return t.value(args[0]) + "[?" + t.value(args[1]) + "]"
	case name == operators.OptSelect:
		name, _ := args[1].AsLiteral().Value().(string)
		if isIdent(args[0], "self") {
			return "optional.of(" + name + ")"
		}
		return t.value(args[0]) + ".?" + field(name)
	case name == "has":
		return t.optional(args[0]) + ".hasValue()"
	case !slices.Contains(known, name):
		if name == "after" || name == "now" {
			name = "time"
		} else {
			name = "function " + name
		}
		return t.lacks(name)
	case c.IsMemberFunction():
		return t.value(c.Target()) + "." + name + "(" + t.values(args) + ")"
	}
	return name + "(" + t.values(args) + ")"
}

func (t *translator) values(list []ast.Expr) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = t.value(e)
	}
	return strings.Join(out, ", ")
}

// condition writes the condition of a call of condition, an empty map where the object does not report it.
func (t *translator) condition(e ast.Expr) string {
	args := e.AsCall().Args()
	if !isIdent(args[0], "self") {
		return t.lacks("a condition of another object")
	}
	return fmt.Sprintf("(%s.filter(c, c.?type.orValue(\"\") == %s) + [{}])[0]", t.list, t.value(args[1]))
}

func (t *translator) variable(name string) ast.Expr {
	if e := t.variables[name]; e != nil {
		return e
	}
	t.lacks("variables." + name)
	return literalFalse
}

var literalFalse = ast.NewExprFactory().NewLiteral(0, types.False)

func (t *translator) lacks(what string) string {
	if t.missing == "" {
		t.missing = what
	}
	return "false"
}

func isIdent(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }
func isCondition(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "condition"
}

// field writes the name of a field; one that is no identifier is quoted.
func field(name string) string {
	for _, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return "`" + name + "`"
		}
	}
	return name
}

// listOf writes the list at a path of names.
func listOf(path []string) string {
	out := path[0]
	if len(path) == 1 {
		out = "optional.of(" + out + ")"
	}
	for _, name := range path[1:] {
		out += ".?" + field(name)
	}
	return out + ".orValue([])"
}

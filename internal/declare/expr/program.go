// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"strings"
	"sync"
	"weak"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"google.golang.org/protobuf/types/known/structpb"
)

// Result is the type that an expression must have.
type Result string

// The results. An expression of dynamic type is accepted for each and checked when it runs.
const (
	Bool   Result = "bool"
	String Result = "string"
	Any    Result = "dyn"
)

// Issue is one thing wrong with an expression. Line and Column count from 1 in its text.
type Issue struct {
	Line, Column int
	Message      string
}

// Program is an expression. It may be used by many goroutines.
type Program struct {
	Source string

	scope    Scope
	compiled func() (compiled, []Issue)
	program  func() (cel.Program, error) // planned when it is run first, as most never are
}

// compiled is what a program keeps of its compilation.
type compiled struct {
	uses      Uses
	constants bool                  // it calls a function with a constant, which may be wrong
	checked   weak.Pointer[cel.Ast] // thousands of them would be a good part of what a command keeps
}

// Compile parses and type-checks an expression.
func Compile(source string, scope Scope, result Result) (*Program, []Issue) {
	p := Later(source, scope, result)
	c, issues := p.compiled()
	if c.constants {
		if _, err := p.program(); err != nil {
			issues = []Issue{{1, 1, err.Error()}}
		}
	}
	if issues != nil {
		return nil, issues
	}
	return p, nil
}

// Later is [Compile] for an expression that is known to compile, as a test does it: those of the catalogs that come with the module. It is
// compiled when it is first used, which most expressions never are in a run of a command. If it does not compile after all, it uses
// nothing, and its evaluation is an error.
func Later(source string, scope Scope, result Result) *Program {
	p := &Program{Source: source, scope: scope}
	p.compiled = sync.OnceValues(func() (compiled, []Issue) { return compile(source, scope, result) })
	p.program = sync.OnceValues(func() (cel.Program, error) {
		if err := p.Err(); err != nil {
			return nil, err
		}
		env, err := environments[scope]()
		if err != nil {
			return nil, err
		}
		return planned(env, p.ast(), scope)
	})
	return p
}

// Err returns why the expression does not compile; nil if it does. Only that of [Later] may not.
func (p *Program) Err() error {
	if _, issues := p.compiled(); issues != nil {
		return fmt.Errorf("%s does not compile: %s", p.Source, issues[0].Message)
	}
	return nil
}

// Uses returns the inputs of the expression.
func (p *Program) Uses() Uses {
	c, _ := p.compiled()
	return c.uses
}

// Names returns the names that it uses. An expression without these words is not compiled for that.
func (p *Program) Names() []Name {
	if !strings.Contains(p.Source, "related") && !strings.Contains(p.Source, "variables") {
		return nil
	}
	return p.Uses().Names
}

// Conditions returns the conditions that it uses. An expression without that word is not compiled for that.
func (p *Program) Conditions() []ConditionName {
	if !strings.Contains(p.Source, "condition") {
		return nil
	}
	return p.Uses().Conditions
}

// ast returns the checked expression, checked again if it has been collected.
func (p *Program) ast() *cel.Ast {
	c, _ := p.compiled()
	checked := c.checked.Value()
	if checked == nil {
		if env, err := environments[p.scope](); err == nil {
			checked, _ = env.Compile(p.Source) // it has no issues
		}
	}
	return checked
}

func compile(source string, scope Scope, result Result) (compiled, []Issue) {
	if strings.TrimSpace(source) == "" {
		return compiled{}, []Issue{{1, 1, "expression is empty"}}
	}
	env, err := environments[scope]()
	if err != nil {
		return compiled{}, []Issue{{1, 1, err.Error()}}
	}
	checked, iss := env.Compile(source)
	if iss != nil && iss.Err() != nil {
		if result == String && !strings.ContainsAny(source, `'"()[]{}.+?:`) {
			return compiled{}, []Issue{{1, 1, fmt.Sprintf("%s is no expression: a fixed text has quotes of its own, as in \"'%[1]s'\"", source)}}
		}
		var out []Issue
		for _, e := range iss.Errors() {
			if len(out) > 0 && strings.HasPrefix(e.Message, "Syntax error") {
				continue // the parser stumbles on after its first error
			}
			out = append(out, Issue{e.Location.Line(), e.Location.Column() + 1, clean(e.Message, scope)})
		}
		return compiled{}, out
	}
	if out := checked.OutputType(); !accepts(result, out) {
		return compiled{}, []Issue{{1, 1, fmt.Sprintf("expression returns %s, want %s", out, result)}}
	}
	if out := tooExpensive(env, checked, scope); len(out) > 0 {
		return compiled{}, out
	}
	uses, constants := usesOf(checked)
	return compiled{uses, constants, weak.Make(checked)}, nil
}

// planned returns the program of a checked expression.
func planned(env *cel.Env, checked *cel.Ast, scope Scope) (cel.Program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if !bounded(checked.NativeRep().Expr()) {
		options = append(options, cel.CostLimit(limitOf(scope)))
	}
	return env.Program(checked, options...)
}

// Root returns the checked expression, with its macros expanded, for those who translate it. It must not be changed.
func (p *Program) Root() ast.Expr { return p.ast().NativeRep().Expr() }

func accepts(want Result, got *cel.Type) bool {
	switch want {
	case Bool:
		return got.IsExactType(cel.BoolType) || got.Kind() == types.DynKind
	case String:
		return got.IsExactType(cel.StringType) || got.Kind() == types.DynKind
	}
	return true
}

// clean removes the parts of CEL's messages that are of no use to an author.
func clean(message string, scope Scope) string {
	message = strings.ReplaceAll(message, " (in container '')", "")
	if strings.HasPrefix(message, "Syntax error: token recognition error at: '=") {
		return "syntax error: = is not an operator"
	}
	message = strings.Replace(message, "Syntax error", "syntax error", 1)
	if strings.HasPrefix(message, "undeclared reference to '") {
		return message + " (known here: " + strings.Join(scopeVariables[scope], ", ") + ")"
	}
	return message
}

// Values are the variables of one evaluation; a nil one is not set.
type Values struct {
	Self, Item         map[string]any
	Related, Variables map[string]any
}

// activation hands the values to CEL. It is in use for one evaluation, whose result does not refer to it.
type activation struct {
	v Values
	c contextValue
}

var activations = sync.Pool{New: func() any { return new(activation) }}

func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case "self":
		return a.v.Self, a.v.Self != nil
	case "item":
		return a.v.Item, a.v.Item != nil
	case "related":
		return a.v.Related, true
	case "variables":
		return a.v.Variables, true
	case contextName:
		return a.c, true
	}
	return nil, false
}

func (a *activation) Parent() cel.Activation { return nil }

// Eval runs the expression and returns its value in plain Go form: nil, bool, int64, uint64, float64, string, []any,
// map[string]any, or a value of CEL.
func (p *Program) Eval(c *Context, v Values) (any, error) {
	program, err := p.program()
	if err != nil {
		return nil, err
	}
	limit := limitOf(p.scope)
	if c.spent > perObject*limit {
		return nil, fmt.Errorf("%w: the expressions about this object cost more than %d units together", ErrTooExpensive, perObject*limit)
	}
	a, _ := activations.Get().(*activation)
	a.v, a.c = v, contextValue{c}
	out, details, err := program.Eval(a)
	*a = activation{}
	activations.Put(a)
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			c.spent += *cost
		}
	}
	if err != nil {
		return nil, expensive(err, limit)
	}
	return out.Value(), nil
}

// Bool runs the expression; a value other than true is false, and an error where it is not a bool or null.
func (p *Program) Bool(c *Context, v Values) (bool, error) {
	out, err := p.Eval(c, v)
	if err != nil {
		return false, err
	}
	switch b := out.(type) {
	case bool:
		return b, nil
	case nil, structpb.NullValue:
		return false, nil
	}
	return false, fmt.Errorf("expression returns %T, want bool", out)
}

// String runs the expression and returns its string.
func (p *Program) String(c *Context, v Values) (string, error) {
	out, err := p.Eval(c, v)
	if err != nil {
		return "", err
	}
	s, ok := out.(string)
	if !ok {
		return "", fmt.Errorf("expression returns %T, want string", out)
	}
	return s, nil
}

// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
)

// Scope is the set of variables that an expression may use.
type Scope int

// The scopes.
const (
	ScopeSelf    Scope = iota // self, variables
	ScopeItem                 // item
	ScopePair                 // self, item, variables
	ScopeRelated              // self, related, variables
	ScopeChild                // self, item, related, variables
)

const contextName = "__context"

var scopeVariables = map[Scope][]string{
	ScopeSelf:    {"self", "variables"},
	ScopeItem:    {"item"},
	ScopePair:    {"self", "item", "variables"},
	ScopeRelated: {"self", "related", "variables"},
	ScopeChild:   {"self", "item", "related", "variables"},
}

// environments are immutable and costly to build, so each is built once.
var environments = func() map[Scope]func() (*cel.Env, error) {
	out := map[Scope]func() (*cel.Env, error){}
	for scope := range scopeVariables {
		out[scope] = sync.OnceValues(func() (*cel.Env, error) { return newEnv(scope) })
	}
	return out
}()

func newEnv(scope Scope) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.OptionalTypes(),
		ext.Strings(ext.StringsVersion(2)), ext.Lists(ext.ListsVersion(2)),
		cel.Lib(kubernetesLibrary{}),
		cel.Variable(contextName, cel.DynType),
		cel.Macros(contextMacro("condition", 2), contextMacro("after", 2), contextMacro("now", 0)),
		cel.Function("__condition", cel.Overload("tristate_condition",
			[]*cel.Type{cel.DynType, cel.DynType, cel.StringType}, cel.MapType(cel.StringType, cel.StringType),
			cel.FunctionBinding(conditionOf))),
		cel.Function("__after", cel.Overload("tristate_after",
			[]*cel.Type{cel.DynType, cel.DynType, cel.DurationType}, cel.BoolType, cel.FunctionBinding(after))),
		cel.Function("__now", cel.Overload("tristate_now",
			[]*cel.Type{cel.DynType}, cel.TimestampType, cel.UnaryBinding(now))),
		around("refusals", func(a *Around) func(map[string]any) []any { return a.Refusals }),
		around("blocks", func(a *Around) func(map[string]any) []any { return a.Blocks }),
		around("backend", func(a *Around) func(map[string]any) []any { return a.Backend }),
	}
	options = append(options, wiringLibrary()...)
	if scope == ScopePair {
		options = append(options, cel.EnableMacroCallTracking()) // or a side of an equality with a loop has no text, see Equalities
	}
	for _, name := range scopeVariables[scope] {
		t := cel.DynType
		if name == "related" || name == "variables" {
			t = cel.MapType(cel.StringType, cel.DynType)
		}
		options = append(options, cel.Variable(name, t))
	}
	return cel.NewEnv(options...)
}

// contextMacro passes the context of the evaluation to a function, which the author of the expression does not write.
func contextMacro(name string, arguments int) cel.Macro {
	return cel.GlobalMacro(name, arguments, func(f cel.MacroExprFactory, _ ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
		return f.NewCall("__"+name, append([]ast.Expr{f.NewIdent(contextName)}, args...)...), nil
	})
}

func conditionOf(args ...ref.Val) ref.Val {
	c, ok := args[0].Value().(*Context)
	if !ok {
		return types.NewErr("condition: no context")
	}
	object, ok := args[1].Value().(map[string]any)
	if !ok {
		return types.NewErr("condition: first argument is %s, want an object", args[1].Type().TypeName())
	}
	conditionType, _ := args[2].Value().(string)
	return c.condition(object, conditionType)
}

func now(context ref.Val) ref.Val {
	c, ok := context.Value().(*Context)
	if !ok {
		return types.NewErr("now: no context")
	}
	return types.Timestamp{Time: c.Now}
}

// around declares a function of [Around] about an object; without it the list is empty.
func around(name string, of func(*Around) func(map[string]any) []any) cel.EnvOption {
	call := func(context, value ref.Val) ref.Val {
		c, ok := context.Value().(*Context)
		object, also := value.Value().(map[string]any)
		if !ok || !also {
			return types.MaybeNoSuchOverloadErr(value)
		}
		list := []any{}
		if c.Around != nil {
			list = of(c.Around)(object)
		}
		return types.DefaultTypeAdapter.NativeToValue(list)
	}
	return func(e *cel.Env) (*cel.Env, error) {
		e, err := cel.Macros(contextMacro(name, 1))(e)
		if err != nil {
			return nil, err
		}
		return cel.Function("__"+name, cel.Overload("tristate_"+name, []*cel.Type{cel.DynType, cel.DynType}, cel.ListType(cel.DynType),
			cel.BinaryBinding(call)))(e)
	}
}

func after(args ...ref.Val) ref.Val {
	c, ok := args[0].Value().(*Context)
	if !ok {
		return types.NewErr("after: no context")
	}
	var start time.Time
	switch t := args[1].(type) {
	case types.Timestamp:
		start = t.Time
	case types.String:
		if t == "" {
			return types.False
		}
		parsed, err := time.Parse(time.RFC3339, string(t))
		if err != nil {
			return types.NewErr("after: %q is not an RFC 3339 time", string(t))
		}
		start = parsed
	case types.Null:
		return types.False
	default:
		return types.NewErr("after: first argument is %s, want a timestamp", args[1].Type().TypeName())
	}
	d, ok := args[2].Value().(time.Duration)
	if !ok {
		return types.NewErr("after: second argument is %s, want a duration", args[2].Type().TypeName())
	}
	return types.Bool(c.reached(start.Add(d)))
}

// contextValue is a *Context as a CEL value.
type contextValue struct{ c *Context }

var contextType = cel.ObjectType("tristate.Context", traits.ReceiverType)

func (v contextValue) ConvertToNative(reflectType) (any, error) {
	return nil, fmt.Errorf("context is not a value")
}
func (v contextValue) ConvertToType(ref.Type) ref.Val { return types.NewErr("context is not a value") }
func (v contextValue) Equal(other ref.Val) ref.Val    { return types.Bool(other.Value() == any(v.c)) }
func (v contextValue) Type() ref.Type                 { return contextType }
func (v contextValue) Value() any                     { return v.c }

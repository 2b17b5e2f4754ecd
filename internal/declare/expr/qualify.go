// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// reserved are identifiers that are no variables: types, and namespaces of functions.
var reserved = []string{"bool", "bytes", "double", "dyn", "duration", "google", "int", "list", "map", "null_type", "optional_type",
	"string", "timestamp",
	"type", "uint", "base64", "cel", "format", "json", "lists", "math", "net", "optional", "regex", "sets", "strings"}

// plainEnv parses any expression; it knows no variables.
var plainEnv = sync.OnceValues(func() (*cel.Env, error) { return cel.NewEnv(cel.OptionalTypes()) })

// Qualify writes "root." before each free variable of an expression, for one that was written with the fields of an object as its
// variables. Everything else stays as it is, white space too.
func Qualify(source, root string) (string, error) {
	env, err := plainEnv()
	if err != nil {
		return "", err
	}
	parsed, issues := env.Parse(source)
	if issues != nil && issues.Err() != nil {
		first := issues.Errors()[0]
		return "", fmt.Errorf("column %d: %s", first.Location.Column()+1, first.Message)
	}
	q := qualifier{info: parsed.NativeRep().SourceInfo(), bound: map[string]int{}}
	q.visit(parsed.NativeRep().Expr())
	slices.Sort(q.at)
	q.at = slices.Compact(q.at)
	text := []rune(source)
	for _, at := range slices.Backward(q.at) {
		text = slices.Insert(text, int(at), []rune(root+".")...)
	}
	return string(text), nil
}

type qualifier struct {
	info  *ast.SourceInfo
	bound map[string]int // by comprehensions around
	at    []int32        // where free variables begin
}

func (q *qualifier) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		if place, ok := q.info.GetOffsetRange(e.ID()); ok && q.bound[name] == 0 && !slices.Contains(reserved, name) {
			q.at = append(q.at, place.Start)
		}
	case ast.SelectKind:
		q.visit(e.AsSelect().Operand())
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			q.visit(c.Target())
		}
		for _, a := range c.Args() {
			q.visit(a)
		}
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			q.visit(item)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			q.visit(entry.AsMapEntry().Key())
			q.visit(entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			q.visit(field.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		q.visit(c.IterRange())
		names := []string{c.IterVar(), c.IterVar2(), c.AccuVar()}
		for _, name := range names {
			q.bound[name]++
		}
		for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			q.visit(part)
		}
		for _, name := range names {
			q.bound[name]--
		}
	}
}

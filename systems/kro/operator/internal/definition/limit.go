// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	krocel "github.com/kubernetes-sigs/kro/pkg/cel"
	"github.com/kubernetes-sigs/kro/pkg/graph"
)

// EvaluationLimit is how long one expression may be evaluated. kro compiles expressions without a limit. A nested loop over the lists of
// one instance would keep a worker from the instances of others.
const EvaluationLimit = 2 * time.Second

// limit limits the time of every expression of a graph.
func limit(g *graph.Graph) {
	one := func(e *krocel.Expression) {
		if e != nil && e.Program != nil {
			e.Program = limited{e.Program, time.Now}
		}
	}
	each := func(n *graph.Node) {
		if n == nil {
			return
		}
		for _, list := range [][]*krocel.Expression{n.IncludeWhen, n.ReadyWhen, n.Conditions} {
			for _, e := range list {
				one(e)
			}
		}
		for _, d := range n.ForEach {
			one(d.Expression)
		}
		for _, v := range n.Variables {
			one(v.Expression)
		}
	}
	each(g.Instance)
	for _, n := range g.Nodes {
		each(n)
	}
}

// limited is a program whose evaluation ends with an error after [EvaluationLimit], as soon as it reads a variable: each turn of a loop
// within a loop does.
type limited struct {
	cel.Program
	now func() time.Time
}

// Eval implements [cel.Program].
func (l limited) Eval(vars any) (ref.Val, *cel.EvalDetails, error) {
	if named, ok := vars.(map[string]any); ok {
		activation, err := cel.NewActivation(named)
		if err != nil {
			return nil, nil, err
		}
		vars = &timed{activation, l.now, l.now().Add(EvaluationLimit)}
	}
	return l.Program.Eval(vars)
}

// timed are variables that can be read until a time.
type timed struct {
	cel.Activation
	now func() time.Time
	end time.Time
}

// ResolveName implements [cel.Activation]. cel-go returns what it panics with as the error of the evaluation.
func (t *timed) ResolveName(name string) (any, bool) {
	if t.now().After(t.end) {
		panic(interpreter.EvalCancelledError{Message: fmt.Sprintf("the expression takes longer than %s", EvaluationLimit)})
	}
	return t.Activation.ResolveName(name)
}

// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	krocel "github.com/kubernetes-sigs/kro/pkg/cel"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/graph/variable"
)

func program(t *testing.T, text string) cel.Program {
	t.Helper()
	env, err := cel.NewEnv(cel.Variable("items", cel.ListType(cel.IntType)))
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	p, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLimited: a loop within a loop ends with an error once its time is over, and has its result before.
func TestLimited(t *testing.T) {
	nested := program(t, "items.map(x, items.map(y, x * y)).size()")
	items := map[string]any{"items": []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	for name, tt := range map[string]struct {
		step time.Duration // that each look at the clock takes
		want string        // the error
	}{
		"in time": {time.Millisecond, ""},
		"late":    {time.Second, "the expression takes longer than 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Unix(1700000000, 0)
			out, _, err := limited{nested, func() time.Time { at = at.Add(tt.step); return at }}.Eval(items)
			switch {
			case tt.want == "" && (err != nil || out.Value() != int64(10)):
				t.Errorf("%v, %v", out, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestLimit: every expression of a graph has the limit.
func TestLimit(t *testing.T) {
	var all []*krocel.Expression
	next := func() *krocel.Expression {
		all = append(all, &krocel.Expression{Program: program(t, "1")})
		return all[len(all)-1]
	}
	node := func() *graph.Node {
		return &graph.Node{IncludeWhen: []*krocel.Expression{next()}, ReadyWhen: []*krocel.Expression{next()},
			Conditions: []*krocel.Expression{next()}, ForEach: []graph.ForEachDimension{{Expression: next()}},
			Variables: []*variable.ResourceField{{FieldDescriptor: variable.FieldDescriptor{Expression: next()}}}}
	}
	limit(&graph.Graph{Instance: node(), Nodes: map[string]*graph.Node{"web": node()}})
	for i, e := range all {
		if _, ok := e.Program.(limited); !ok {
			t.Errorf("expression %d has no limit", i)
		}
	}
}

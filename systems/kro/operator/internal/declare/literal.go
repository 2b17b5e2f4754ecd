// SPDX-License-Identifier: Apache-2.0

package declare

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	krocel "github.com/kubernetes-sigs/kro/pkg/cel"
)

// literals returns the condition types that expressions of a status block make by a literal, sorted. An expression that does not parse is
// ignored: the builder of kro reports it.
func literals(status []byte) []string {
	var block struct {
		Conditions []string `json:"conditions"`
	}
	if len(status) == 0 || json.Unmarshal(status, &block) != nil || len(block.Conditions) == 0 {
		return nil
	}
	env, err := krocel.DefaultEnvironment()
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	for _, text := range block.Conditions {
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "${"), "}")
		parsed, issues := env.Parse(text)
		if issues.Err() != nil {
			continue
		}
		collect(parsed, found)
	}
	out := make([]string, 0, len(found))
	for name := range found {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// collect adds the literal types of the calls of newCondition.
func collect(parsed *cel.Ast, found map[string]bool) {
	ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "newCondition" || len(e.AsCall().Args()) != 1 {
			return
		}
		argument := e.AsCall().Args()[0]
		if argument.Kind() != ast.MapKind {
			return
		}
		for _, entry := range argument.AsMap().Entries() {
			pair := entry.AsMapEntry()
			if text(pair.Key()) != "type" {
				continue
			}
			if name := text(pair.Value()); name != "" {
				found[name] = true
			}
		}
	}))
}

// text returns the value of a literal string; empty for any other expression.
func text(e ast.Expr) string {
	if e.Kind() != ast.LiteralKind {
		return ""
	}
	s, _ := e.AsLiteral().Value().(string)
	return s
}

// SPDX-License-Identifier: Apache-2.0

package exporttest

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/export"
)

// generator makes objects of one kind out of what its catalog mentions. The same seed makes the same objects.
type generator struct {
	r      *rand.Rand
	s      *export.Subject
	k      *catalog.Kind
	states []export.State
	types  []string            // condition types that the catalog declares or reads, with aliases
	cells  map[string][]string // STATUS/REASON by type
	paths  []string            // fields that rules and tables read
	words  []any               // constants of its expressions and words of its tables
	fields []string            // names of fields that expressions select
}

func newGenerator(s *export.Subject, k *catalog.Kind) *generator {
	h := fnv.New64a()
	h.Write([]byte(s.Name()))
	g := &generator{r: rand.New(rand.NewPCG(h.Sum64(), 1)), s: s, k: k, states: export.States(s, k), cells: map[string][]string{}}
	typed := func(name string) {
		if !slices.Contains(g.types, name) {
			g.types = append(g.types, name)
		}
	}
	for i := range k.Declaration.Types {
		t := &k.Declaration.Types[i]
		for _, name := range append([]string{t.Name}, t.Aliases...) {
			typed(name)
			for _, r := range t.Reasons {
				for _, reason := range append([]string{r.Name}, r.Aliases...) {
					g.cells[name] = append(g.cells[name], string(r.Status)+"/"+reason)
				}
			}
		}
	}
	for _, st := range k.Source.Spec.States {
		if st.Condition != "" {
			typed(st.Condition)
		} else {
			g.paths = append(g.paths, st.Path)
		}
		if st.Message != "" {
			g.paths = append(g.paths, st.Message)
		}
		for word := range st.Words {
			if st.Condition != "" {
				g.cells[st.Condition] = append(g.cells[st.Condition], word)
			} else {
				g.words = append(g.words, word)
			}
		}
	}
	read := func(p *expr.Program) {
		if p == nil {
			return
		}
		for _, c := range p.Conditions() {
			typed(c.Type)
		}
		for _, path := range p.Uses().Paths["self"] {
			if path != "" && path != "kind" && path != "status.conditions" {
				g.paths = append(g.paths, path)
			}
		}
		ast.PreOrderVisit(p.Root(), ast.NewExprVisitor(func(e ast.Expr) {
			switch e.Kind() {
			case ast.LiteralKind:
				switch v := e.AsLiteral().(type) {
				case types.String:
					g.words = append(g.words, string(v))
				case types.Int:
					g.words = append(g.words, int64(v))
				}
			case ast.SelectKind:
				g.fields = append(g.fields, e.AsSelect().FieldName())
			}
		}))
	}
	for _, v := range k.Variables {
		read(v.Program)
	}
	for _, v := range k.Verdicts {
		read(v.When)
		read(v.Message)
	}
	slices.Sort(g.paths)
	g.paths = slices.Compact(g.paths)
	for _, list := range g.cells {
		slices.Sort(list)
	}
	slices.SortFunc(g.words, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	slices.Sort(g.fields)
	g.fields = slices.Compact(g.fields)
	return g
}

func text(v any) string {
	s, ok := v.(string)
	if !ok {
		return string(rune(v.(int64)))
	}
	return "s" + s
}

var (
	reasons  = []string{"", "Ready", "NotReady", "Waiting", "UploadFailed", "Paused", "Odd"}
	messages = []string{"", "", "it works", "the disk is full", "waiting for a node", "größer"}
	strange  = []string{"StorageLost", "BackupsStored", "Progressing", "Stalled", "Reconciling"}
)

// object makes the next object.
func (g *generator) object() map[string]any {
	base := clone(g.states[g.r.IntN(len(g.states))].Object).(map[string]any)
	status, _ := base["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
		if !g.one(8) {
			base["status"] = status
		}
	}
	if g.one(3) { // what other states have stays out
		for key := range status {
			if key != "conditions" || g.one(2) {
				delete(status, key)
			}
		}
	}
	for _, path := range g.paths {
		if g.one(2) {
			nested.Set(base, g.value(2), strings.Split(path, ".")...)
		}
	}
	status, _ = base["status"].(map[string]any)
	if status != nil && len(g.types) > 0 && !g.one(3) {
		g.conditions(base)
	}
	if status != nil && g.one(4) {
		status["observedGeneration"] = int64(g.r.IntN(5) - 1)
	}
	if g.one(40) {
		metadata := base["metadata"].(map[string]any)
		metadata["deletionTimestamp"] = "2025-12-31T23:00:00Z"
		metadata["finalizers"] = []any{"example.org/b", "example.org/a"}[:g.r.IntN(3)]
	}
	if status != nil && g.one(60) {
		status["errorMessage"] = "the disk failed"
	}
	if g.one(100) {
		base["status"] = []any{"odd", int64(3), []any{}, true}[g.r.IntN(4)]
	}
	return base
}

// conditions puts a list of random conditions where the catalog has it.
func (g *generator) conditions(object map[string]any) {
	var list []any
	for _, name := range g.types {
		if g.one(3) {
			continue
		}
		list = append(list, g.condition(name))
		if g.one(30) {
			list = append(list, g.condition(name))
		}
	}
	if g.one(25) {
		list = append(list, g.condition(strange[g.r.IntN(len(strange))]))
	}
	if g.one(60) {
		list = append(list, []any{"odd", int64(1), map[string]any{}, nil}[g.r.IntN(4)])
	}
	g.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	export.Put(object, g.k, list)
}

func (g *generator) condition(name string) map[string]any {
	status, reason := []string{"True", "False", "Unknown"}[g.r.IntN(3)], ""
	if cells := g.cells[name]; len(cells) > 0 && !g.one(12) {
		status, reason, _ = strings.Cut(cells[g.r.IntN(len(cells))], "/")
	}
	if reason == "" {
		reason = reasons[g.r.IntN(len(reasons))]
		for _, w := range g.words {
			if s, ok := w.(string); ok && g.one(2*len(g.words)) {
				reason = s
			}
		}
	}
	c := map[string]any{"type": name, "status": status, "lastTransitionTime": "2025-12-31T12:00:00Z"}
	if reason != "" {
		c["reason"] = reason
	}
	if m := messages[g.r.IntN(len(messages))]; m != "" {
		c["message"] = m
	}
	switch g.r.IntN(40) {
	case 0:
		c["status"] = status == "True"
	case 1:
		c["status"] = strings.ToLower(status)
	case 2:
		c["severity"] = []string{"Info", "Warning", "Error"}[g.r.IntN(3)]
	case 3, 4, 5, 6, 7:
		c["observedGeneration"] = int64(g.r.IntN(4))
	case 8:
		delete(c, "status")
	case 9:
		c["lastTransitionTime"] = "2031-01-01T00:00:00Z"
	case 10:
		c["message"] = nil
	}
	return c
}

// value makes a value of a field.
func (g *generator) value(depth int) any {
	switch n := g.r.IntN(12); {
	case n < 5 && len(g.words) > 0:
		return g.words[g.r.IntN(len(g.words))]
	case n == 5:
		return g.r.IntN(2) == 0
	case n == 6 || n == 7:
		return int64(g.r.IntN(4))
	case n == 8:
		return ""
	case n == 9 && g.one(4):
		return nil
	case n >= 9 && depth > 0 && len(g.fields) > 0:
		element := func() any {
			m := map[string]any{}
			for range 3 {
				m[g.fields[g.r.IntN(len(g.fields))]] = g.value(depth - 1)
			}
			return m
		}
		if n == 9 {
			return element()
		}
		var list []any
		for range g.r.IntN(3) {
			list = append(list, element())
		}
		return append([]any{}, list...)
	}
	return "word"
}

// one is true once in n.
func (g *generator) one(n int) bool { return g.r.IntN(n) == 0 }

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, one := range v {
			out[key] = clone(one)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = clone(one)
		}
		return out
	}
	return v
}

// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEval(t *testing.T) {
	self := map[string]any{
		"metadata": map[string]any{"name": "prod", "creationTimestamp": "2026-01-01T00:00:00Z"},
		"spec":     map[string]any{"replicas": int64(3), "paused": nil},
		"status": map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "False", "reason": "Broken", "severity": "Error"}, "junk"}},
	}
	machine := func(version string) map[string]any {
		return map[string]any{"spec": map[string]any{"version": version}}
	}
	values := Values{Self: self,
		Related:   map[string]any{"machines": []any{machine("v1"), machine("v2")}},
		Variables: map[string]any{"upgrading": true}}
	at := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	tests := map[string]struct {
		source string
		want   any
	}{
		"field":              {"self.metadata.name", "prod"},
		"condition":          {"condition(self, 'Ready').reason", "Broken"},
		"absent condition":   {"condition(self, 'Other').status", "Unknown"},
		"related":            {"related.machines.exists(m, m.spec.version != 'v1')", true},
		"size":               {"size(related.machines) < self.spec.replicas", true},
		"variables":          {"variables.upgrading && !has(related.crd)", true},
		"optional":           {"self.?spec.?nothing.orValue('x')", "x"},
		"past":               {"after(self.metadata.creationTimestamp, duration('30s'))", true},
		"future":             {"after(self.metadata.creationTimestamp, duration('2m'))", false},
		"kubernetes library": {"quantity('1Gi').isGreaterThan(quantity('1Mi'))", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, issues := Compile(test.source, ScopeRelated, Any)
			if issues != nil {
				t.Fatal(issues)
			}
			c := &Context{Now: at}
			got, err := p.Eval(c, values)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if want := time.Date(2026, 1, 1, 0, 2, 0, 0, time.UTC); name == "future" && !c.Next().Equal(want) {
				t.Errorf("next look: want %s, got %s", want, c.Next())
			}
		})
	}
}

// Of several conditions of one type the order does not matter, and a boolean status is a word.
func TestCondition_twice(t *testing.T) {
	p, issues := Compile("condition(self, 'Ready').status + condition(self, 'Ready').reason", ScopeSelf, String)
	if issues != nil {
		t.Fatal(issues)
	}
	good := map[string]any{"type": "Ready", "status": true, "reason": "Fine"}
	bad := map[string]any{"type": "Ready", "status": "False", "reason": "Broken"}
	for _, list := range [][]any{{good, bad}, {bad, good}} {
		got, err := p.String(&Context{}, Values{Self: map[string]any{"status": map[string]any{"conditions": list}}})
		if err != nil || got != "FalseBroken" {
			t.Errorf("want FalseBroken, got %q, %v", got, err)
		}
	}
}

func TestBool_nullAndMissing(t *testing.T) {
	self := map[string]any{"spec": map[string]any{"paused": nil}}
	p, _ := Compile("self.spec.paused", ScopeSelf, Bool)
	if got, err := p.Bool(&Context{}, Values{Self: self}); got || err != nil {
		t.Errorf("null: want false, got %v, %v", got, err)
	}
	p, _ = Compile("self.spec.gone.deep == 'x'", ScopeSelf, Bool)
	if _, err := p.Bool(&Context{}, Values{Self: self}); !IsMissing(err) {
		t.Errorf("missing: got %v", err)
	}
	p, _ = Compile("[1][4] == 1", ScopeSelf, Bool)
	if _, err := p.Bool(&Context{}, Values{Self: self}); !IsMissing(err) {
		t.Errorf("index: got %v", err)
	}
}

func TestCompile_issues(t *testing.T) {
	tests := map[string]struct {
		source string
		scope  Scope
		result Result
		want   []Issue
	}{
		"empty":      {" ", ScopeSelf, Bool, []Issue{{1, 1, "expression is empty"}}},
		"undeclared": {"self.x ==\n  item.y", ScopeSelf, Bool, []Issue{{2, 3, "undeclared reference to 'item' (known here: self, variables)"}}},
		"text": {"all fine", ScopeSelf, String,
			[]Issue{{1, 1, `all fine is no expression: a fixed text has quotes of its own, as in "'all fine'"`}}},
		"wrong type": {"'a' + 'b'", ScopeSelf, Bool, []Issue{{1, 1, "expression returns string, want bool"}}},
		"pattern":    {"self.x.matches('(')", ScopeSelf, Bool, []Issue{{1, 1, "error parsing regexp: missing closing ): `(`"}}},
		"duration": {"after(self.x, duration('soon'))", ScopeSelf, Bool,
			[]Issue{{1, 1, "type conversion error from 'string' to 'google.protobuf.Duration'"}}},
		"operator": {"1 + 'b' == 'x'", ScopeSelf, Bool, []Issue{{1, 3, "found no matching overload for '_+_' applied to '(int, string)'"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, got := Compile(test.source, test.scope, test.result)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestLater: an expression that is compiled when it is first used is the same, for several users at once; one that is wrong uses nothing
// and is an error.
func TestLater(t *testing.T) {
	const source = "variables.a && related.b.exists(x, condition(x, 'Ready').status == self.spec.want)"
	want, _ := Compile(source, ScopeRelated, Bool)
	p := Later(source, ScopeRelated, Bool)
	values := Values{Self: map[string]any{"spec": map[string]any{"want": "Unknown"}}, Variables: map[string]any{"a": true},
		Related: map[string]any{"b": []any{map[string]any{}}}}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if ok, err := p.Bool(&Context{}, values); !ok || err != nil {
				t.Errorf("got %t, %v", ok, err)
			}
			if diff := cmp.Diff(want.Uses(), p.Uses()); diff != "" {
				t.Errorf("-compiled +later\n%s", diff)
			}
		})
	}
	wait.Wait()
	if diff := cmp.Diff(want.Names(), p.Names()); diff != "" || len(p.Names()) != 2 || len(p.Conditions()) != 1 {
		t.Errorf("names %v, conditions %v", p.Names(), p.Conditions())
	}
	wrong := Later("self.a == condition(", ScopeSelf, Bool)
	if _, err := wrong.Bool(&Context{}, Values{}); err == nil || !strings.Contains(err.Error(), "does not compile: syntax error") {
		t.Errorf("error %v", err)
	}
	if len(wrong.Names())+len(wrong.Conditions())+len(wrong.Uses().Paths) > 0 {
		t.Errorf("it uses %v", wrong.Uses())
	}
}

func TestUses(t *testing.T) {
	tests := map[string]struct {
		source string
		want   map[string][]string
	}{
		"fields":    {"self.spec.a == 'x' && has(self.status.b)", map[string][]string{"self": {"spec.a", "status.b"}}},
		"condition": {"condition(related.crd, 'Established').status == 'True'", map[string][]string{"related.crd": {"status.conditions"}}},
		"all":       {"related.m.all(x, x.spec.v == self.spec.v)", map[string][]string{"related.m": {"spec.v"}, "self": {"spec.v"}}},
		"size":      {"size(related.m.filter(x, x.spec.v == 'a')) > 1", map[string][]string{"related.m": {"spec.v"}}},
		"filter map": {"related.m.filter(x, x.a).map(y, y.b).size() > 0",
			map[string][]string{"related.m": {"a", "b"}}},
		"nested": {"related.m.exists(x, condition(x, 'Ready').status == 'True' && x.metadata.labels['k'] == 'v')",
			map[string][]string{"related.m": {"metadata.labels.k", "status.conditions"}}},
		"a key with dots": {"self.metadata.?annotations[?'example.com/a'].orValue('') == 'x'",
			map[string][]string{"self": {"metadata.annotations"}}},
		"list items": {"self.spec.list.all(x, x.name == 'a')", map[string][]string{"self": {"spec.list", "spec.list.name"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, issues := Compile(test.source, ScopeRelated, Any)
			if issues != nil {
				t.Fatal(issues)
			}
			got := p.Uses().Paths
			if len(got["related.m"]) == 0 {
				delete(got, "related.m")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestBudget: an expression that is too expensive for any object is refused; one that is for a single object ends within milliseconds, with
// the reason.
func TestBudget(t *testing.T) {
	bomb := "[0,1,2,3,4,5,6,7,8,9]"
	for range 7 {
		bomb = "[0,1,2,3,4,5,6,7,8,9].map(x, " + bomb + ")"
	}
	refused := map[string]string{
		"literals":         bomb + ".size() > 0",
		"lists inside":     "self.a.all(x, self.b.all(y, self.c.all(z, x + y + z > 0)))",
		"a list of a list": "self.a.all(w, self.a.all(x, self.a.all(y, self.a.all(z, w + x + y + z > 0))))",
	}
	for name, source := range refused {
		if p, issues := Compile(source, ScopeSelf, Bool); p != nil || len(issues) == 0 || !strings.Contains(issues[0].Message, "too expensive") {
			t.Errorf("%s: want it refused, got %v", name, issues)
		}
	}
	p, issues := Compile("self.a.all(x, self.a.all(y, x <= y || y <= x))", ScopeSelf, Bool)
	if p == nil {
		t.Fatal(issues)
	}
	few, many := []any{}, []any{}
	for i := range int64(5000) {
		if many = append(many, i); i < 20 {
			few = append(few, i)
		}
	}
	if ok, err := p.Bool(&Context{}, Values{Self: map[string]any{"a": few}}); !ok || err != nil {
		t.Errorf("20 items: %v, %v", ok, err)
	}
	c := &Context{}
	if _, err := p.Bool(c, Values{Self: map[string]any{"a": many}}); !errors.Is(err, ErrTooExpensive) {
		t.Errorf("5000 items: want ErrTooExpensive, got %v", err)
	}
	for range 1000 { // each is cheap enough, all of them are not
		if _, err := p.Bool(c, Values{Self: map[string]any{"a": few}}); err != nil {
			if !errors.Is(err, ErrTooExpensive) || !strings.Contains(err.Error(), "together") {
				t.Errorf("many evaluations: %v", err)
			}
			return
		}
	}
	t.Error("a thousand evaluations about one object stay within its budget")
}

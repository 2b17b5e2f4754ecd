// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// Expression is a question about one object, to wait for or to fail on.
type Expression struct {
	text     string
	verdicts []verdict.Status
	ready    bool
	deadline bool
	cause    bool
	overdue  bool
	final    bool // but not by condition Stalled
	exists   bool
	gone     bool
	// a condition
	kind           string
	status, reason string
	settled        bool // no status was given: of an optional condition any healthy cell will do
	program        *expr.Program
	path           string // of JSONPath, in braces
	value          string // at path; empty: any
}

// Subject is the object that an expression is evaluated on.
type Subject struct {
	// Content is the decoded object; nil where it does not exist.
	Content map[string]any
	// Existed reports that the object was seen during the wait.
	Existed bool
	// Judgement is that of the object, with the children that count in it.
	Judgement relation.Judgement
	// Blocker is the object below it that waiting does not mend, see [relation.View.Blocked]; nil where none is known.
	Blocker *relation.Blocker
	// Kind is the catalog of its kind, or nil. It has the path of conditions and the aliases of types.
	Kind *catalog.Kind
	Now  time.Time
}

// ParseExpression reads one of
//
//	verdict[=WORD,...]                 the verdict is one of these; Current without any
//	failed                             the verdict is Failed, and does not rest on condition Stalled, which is not terminal
//	ready                              the object can be relied on now
//	overdue                            the object has been in progress for longer than its budget
//	deadline                           the object reports that a deadline of its own has passed, whatever still serves
//	cause                              an object below it does not get ready as long as the specs stay as they are, see
//	                                   [relation.View.Blocked]
//	condition=TYPE[=STATUS][:REASON]   a condition that is not about an older generation; True without a status,
//		or any cell of class ok of a condition that
//	                                   the catalog declares as optional, which may stay False by design
//	jsonpath=PATH[=VALUE]              the value at a path of kubectl's JSONPath; without a value any, as long as it is there
//	create                             the object exists
//	delete                             it does not
//	cel=EXPRESSION                     true by CEL over self (the object), condition(self, 'Type'), after(time, duration),
//	                                   and variables.verdict, variables.ready, variables.reason, variables.message
//
// Types, statuses and reasons are compared without regard to case, as kubectl wait does.
func ParseExpression(text string) (Expression, error) {
	e := Expression{text: text}
	word, rest, given := strings.Cut(text, "=")
	switch {
	case word == "verdict":
		if !given {
			rest = string(verdict.Current)
		}
		for _, w := range strings.Split(rest, ",") {
			s, err := verdict.ParseStatus(w)
			if err != nil {
				return e, fmt.Errorf("%q: %w", text, err)
			}
			e.verdicts = append(e.verdicts, s)
		}
	case text == "failed":
		e.verdicts, e.final = []verdict.Status{verdict.Failed}, true
	case text == "ready":
		e.ready = true
	case text == "deadline":
		e.deadline = true
	case text == "cause":
		e.cause = true
	case text == "overdue":
		e.overdue = true
	case text == "create":
		e.exists = true
	case text == "delete":
		e.gone = true
	case word == "condition" && given:
		cell, reason, _ := strings.Cut(rest, ":")
		kind, status, given := strings.Cut(cell, "=")
		if !given {
			status, e.settled = string(conditions.True), true
		}
		if kind == "" || status == "" || strings.HasSuffix(rest, ":") {
			return e, fmt.Errorf("%q: write condition=TYPE, condition=TYPE=STATUS or condition=TYPE=STATUS:REASON", text)
		}
		e.kind, e.status, e.reason = kind, status, reason
	case word == "jsonpath" && given:
		var err error
		if e.path, e.value, err = parsePath(rest); err != nil {
			return e, fmt.Errorf("%q: %w", text, err)
		}
	case word == "cel" && given:
		program, issues := expr.Compile(rest, expr.ScopeSelf, expr.Bool)
		var errs []error
		for _, issue := range issues {
			errs = append(errs, fmt.Errorf("%q: line %d, column %d: %s", text, issue.Line, issue.Column, issue.Message))
		}
		if len(errs) > 0 {
			return e, errors.Join(errs...)
		}
		e.program = program
	default:
		return e, fmt.Errorf("%q is no expression: use verdict[=WORD,...], failed, ready, deadline, cause, overdue, condition=TYPE[=STATUS][:REASON], "+
			"jsonpath=PATH[=VALUE], create, delete or cel=EXPRESSION", text)
	}
	return e, nil
}

// Gone reports whether the expression demands that the object does not exist.
func (e Expression) Gone() bool { return e.gone }

// Holds reports whether the expression holds, and when time alone may change that (zero for never). A field that an object does not
// have is no error; an expression that cannot be evaluated is.
func (e Expression) Holds(s Subject) (bool, time.Time, error) {
	var never time.Time
	switch {
	case e.gone, e.exists:
		return (s.Content == nil) == e.gone, never, nil
	case s.Content == nil:
		return slices.Contains(e.verdicts, verdict.NotFound), never, nil
	case e.ready:
		return s.Judgement.Ready, s.Judgement.NextLook, nil
	case e.overdue && s.Judgement.At(s.Now).Overdue:
		return true, s.Judgement.NextLook, nil
	case e.overdue:
		return false, relation.Earliest(s.Judgement.NextLook, s.Judgement.Due), nil
	case e.cause:
		return s.Blocker != nil, never, nil
	case e.deadline:
		return deadlinePassed(&s.Judgement) && !stalled(&s.Judgement), s.Judgement.NextLook, nil
	case e.final && stalled(&s.Judgement):
		return false, s.Judgement.NextLook, nil
	case len(e.verdicts) > 0:
		return slices.Contains(e.verdicts, s.Judgement.Verdict), s.Judgement.NextLook, nil
	case e.kind != "":
		return e.condition(s), never, nil
	case e.path != "":
		ok, err := e.atPath(s.Content)
		return ok, never, err
	}
	c := &expr.Context{Now: s.Now}
	if k := s.Kind; k != nil {
		c.Conditions = k.List
		c.Canonical = func(_ map[string]any, name string) string { return k.Canonical(name) }
	}
	ok, err := e.program.Bool(c, expr.Values{Self: s.Content, Variables: map[string]any{"verdict": string(s.Judgement.Verdict),
		"ready": s.Judgement.Ready, "reason": s.Judgement.Reason, "message": s.Judgement.Message}})
	if expr.IsMissing(err) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%q: %w", e.text, err)
	}
	return ok, relation.Earliest(c.Next(), s.Judgement.NextLook), err
}

// condition reports whether the object has the condition with the status and reason. A condition or status about an older generation does
// not count. If there are several entries of the type all must agree.
func (e Expression) condition(s Subject) bool {
	status := nested.Map(s.Content, "status")
	raw := nested.List(status, "conditions")
	if s.Kind != nil {
		raw = s.Kind.List(s.Content)
	}
	generation, _ := whole(nested.At(s.Content, "metadata", "generation"))
	if seen, ok := whole(status["observedGeneration"]); ok && seen < generation {
		return false
	}
	list, _ := wire.FromUnstructured(raw)
	found := false
	for _, c := range list {
		name := c.Type
		if !strings.EqualFold(name, e.kind) && s.Kind != nil {
			name = s.Kind.Canonical(name)
		}
		if !strings.EqualFold(name, e.kind) {
			continue
		}
		stale := c.ObservedGeneration > 0 && c.ObservedGeneration < generation
		if e.settled && !stale && s.optional(&c) {
			found = true
			continue
		}
		if stale || !strings.EqualFold(string(c.Status), e.status) || e.reason != "" && !strings.EqualFold(c.Reason, e.reason) {
			return false
		}
		found = true
	}
	return found
}

// optional reports whether the catalog declares the type of a condition as optional, and its cell as of class ok.
func (s Subject) optional(c *conditions.Condition) bool {
	if s.Kind == nil {
		return false
	}
	t, r := s.Kind.Type(c.Type), s.Kind.Reason(c.Type, c.Reason, c.Status)
	return t != nil && t.Optional && r != nil && r.Class == conditions.ClassOK
}

func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	}
	return 0, false
}

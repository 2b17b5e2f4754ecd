// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"slices"
	"strings"

	"knative.dev/pkg/apis"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/rollup"
)

// Roots are the set managers that keep a top-level condition.
var Roots = []Operation{
	{Name: "knative", Run: func(s *Source, mutate func(*rollup.Options)) Comparison { return runKnative(s, mutate, true) }},
}

// mark is one call of a set manager.
type mark struct{ Type, Status, Reason, Message string }

func marks(s *Source, types []string, n int) []mark {
	var out []mark
	for range n {
		out = append(out, mark{Pick(s, types...), Pick(s, "True", "False", "Unknown"), Pick(s, "A", "B", "C"), Pick(s, "", "text", "other")})
	}
	return out
}

var dependents = []string{"Alpha", "Beta", "Gamma", "Delta", "Epsilon"}

// statusKn is a status as Knative's library keeps it.
type statusKn struct{ list apis.Conditions }

func (s *statusKn) GetConditions() apis.Conditions  { return s.list }
func (s *statusKn) SetConditions(c apis.Conditions) { s.list = c }

// knative calls the library in the given order.
func knative(set apis.ConditionSet, initialize bool, calls []mark) *statusKn {
	status := &statusKn{}
	m := set.Manage(status)
	if initialize {
		m.InitializeConditions()
	}
	for _, c := range calls {
		t := apis.ConditionType(c.Type)
		switch {
		case c.Status == "False":
			m.MarkFalse(t, c.Reason, "%s", c.Message)
		case c.Status == "Unknown":
			m.MarkUnknown(t, c.Reason, "%s", c.Message)
		case c.Reason == "A":
			m.MarkTrue(t)
		default:
			m.MarkTrueWithReason(t, c.Reason, "%s", c.Message)
		}
	}
	return status
}

// runKnative calls the library in any order, takes our summary of the dependents as they stand then, and compares it with what
// the library says when the same facts come in the order in which the one that decides is last; or, where sorted is false, in
// the order as it was.
func runKnative(s *Source, mutate func(*rollup.Options), sorted bool) Comparison {
	of := dependents[:1+s.N(len(dependents))]
	var typed []apis.ConditionType
	for _, t := range of {
		typed = append(typed, apis.ConditionType(t))
	}
	set := apis.NewLivingConditionSet(typed...)
	if s.N(2) == 1 {
		set = apis.NewBatchConditionSet(typed...)
	}
	initialize := s.N(2) == 1
	calls := marks(s, append(slices.Clone(of), "Info", "More"), 1+s.N(10))
	status := knative(set, initialize, calls)

	o := rollup.Options{
		Dialect: conditions.DialectKnative, Exact: true, Target: conditions.Type{Name: string(set.GetTopLevelConditionType())},
	}
	var inputs []rollup.Input
	for _, t := range of {
		in := rollup.Input{Type: t}
		if c := conditionKn(status.list, t); c != nil {
			in.Condition = oursKn(c)
		}
		inputs = append(inputs, in)
	}
	if !slices.ContainsFunc(calls, func(m mark) bool { return slices.Contains(of, m.Type) }) {
		return Comparison{} // the library has no top-level condition, or that of InitializeConditions
	}
	if sorted {
		status = knative(set, initialize, decidingLast(calls, status.list))
	}
	if mutate != nil {
		mutate(&o)
	}
	top := conditionKn(status.list, string(set.GetTopLevelConditionType()))
	return Comparison{
		Case:   func() string { return fmt.Sprintf("dependents %q initialized %t calls %+v", of, initialize, calls) },
		Ours:   resultOfOurs(rollup.Summarize(inputs, o)),
		Theirs: result{true, entry{string(top.Type), string(top.Status), string(top.Severity), top.Reason, top.Message}},
	}
}

// decidingLast are the last calls about each type: True before Unknown before False, each in the order of their times.
func decidingLast(calls []mark, list apis.Conditions) []mark {
	var last []mark
	for i, c := range calls {
		if !slices.ContainsFunc(calls[i+1:], func(later mark) bool { return later.Type == c.Type }) {
			last = append(last, c)
		}
	}
	slices.SortStableFunc(last, func(a, b mark) int {
		if c := strings.Compare(a.rank(), b.rank()); c != 0 {
			return c
		}
		return conditionKn(list, a.Type).LastTransitionTime.Inner.Compare(conditionKn(list, b.Type).LastTransitionTime.Inner.Time)
	})
	return last
}

func (m mark) rank() string {
	return map[string]string{"True": "0", "Unknown": "1", "False": "2"}[m.Status]
}

func conditionKn(list apis.Conditions, t string) *apis.Condition {
	for i := range list {
		if string(list[i].Type) == t {
			return &list[i]
		}
	}
	return nil
}

func oursKn(c *apis.Condition) *conditions.Condition {
	out := conditions.Condition{Severity: conditions.Severity(c.Severity)}
	out.Type, out.Status, out.Reason, out.Message = string(c.Type), conditions.Status(c.Status), c.Reason, c.Message
	out.LastTransitionTime = c.LastTransitionTime.Inner
	return &out
}

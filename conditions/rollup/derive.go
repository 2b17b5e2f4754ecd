// SPDX-License-Identifier: Apache-2.0

package rollup

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/inside"
	"github.com/tristate/tristate/conditions/internal/merge"
)

// View is the view of a step of [Derive] on the pass that is being committed. It is of no use after the step.
type View struct{ view inside.View }

// Derive registers the step that computes a type; it returns false where the type has no condition: then it is removed from the list,
// unless its lifecycle says that it cannot change. Commit runs the steps in the order in which they were registered, before it fills in
// what was not reported; each sees the result of those before it as it is published: after lifecycle, dwell and stamp. A type has one step.
// Another report to the type takes part as one more fact.
func Derive(p *conditions.Pass, conditionType string, step func(*View) (Merged, bool)) {
	inside.Derive(p, conditionType, func(v inside.View) (merge.Outcome, []merge.Cause, bool) {
		m, ok := step(&View{v})
		return merge.Outcome{Condition: m.Condition.Condition, Severity: string(m.Condition.Severity)}, causes(m.Causes), ok
	})
}

// Condition returns a condition of the object by its declared name: of a type that is derived, as this commit leaves it once its step has
// run; otherwise as it is stored. It returns nil where there is none. The condition must not be changed, and is of no use after the step.
func (v *View) Condition(conditionType string) *conditions.Condition {
	c, _ := v.view.Condition(conditionType).(*conditions.Condition)
	return c
}

// Gate is [conditions.Pass.Gate] for the summary of this step alone. A declared type counts with its declared polarity.
func (v *View) Gate(conditionType string, polarity conditions.Polarity) {
	v.view.Gate(conditionType, string(polarity))
}

// Summarize computes the declared summary of the type, with its gates. It returns false where nothing counts, and for a type without a
// summary.
func (v *View) Summarize() (Merged, bool) {
	m, ok := v.view.Summarize()
	return Merged{Condition: conditions.Condition{Condition: m.Condition, Severity: conditions.Severity(m.Severity)}}, ok
}

// Report reports the result of a merge under the name of a declared type, with its causes.
func Report(p *conditions.Pass, conditionType string, m Merged) {
	m.Condition.Type = conditionType
	p.ReportCondition(m.Condition, m.Causes...)
}

// State holds the knowledge of dwell about an object from one pass to the next. The zero value is ready for use.
// Losing it (a restart) starts waiting anew.
type State struct{ state inside.State }

// SetState sets the state of the object, which dwell needs for facts of unknown age. It is
// the caller's, one per object, and must not be used by two passes at a time. A pass over nil has none.
func SetState(p *conditions.Pass, s *State) {
	if s != nil {
		inside.SetState(p, &s.state)
	}
}

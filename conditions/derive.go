// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"

	"github.com/tristate/tristate/conditions/internal/inside"
	"github.com/tristate/tristate/conditions/internal/merge"
)

func init() {
	inside.Target = func(declared any) merge.Target { return declared.(*Type).target() }
	inside.Derive = func(pass any, conditionType string, step step) { pass.(*Pass).derive(conditionType, step) }
	inside.SetState = func(pass any, state *inside.State) {
		if r := pass.(*Pass).open("SetState", ""); r != nil {
			r.state = state
		}
	}
}

// step computes a type during a commit; false: the type has no condition.
type step = func(inside.View) (merge.Outcome, []merge.Cause, bool)

// view is what a step sees of the pass that is being committed. It is of no use after the step.
type view struct {
	s     *session
	typ   int
	gates []gate
}

// derive registers the step of a type. Commit runs the steps in the order in which they were registered, before it fills in what was not
// reported.
func (p *Pass) derive(conditionType string, step step) {
	r := p.open("Derive", conditionType)
	if r == nil {
		return
	}
	if i := r.find(conditionType, "derived"); i >= 0 {
		r.lock()
		r.steps = append(r.steps, typeStep{i, step})
		r.unlock()
	}
}

// typeStep is the step of a type.
type typeStep struct {
	typ  int
	step step
}

// Condition returns a condition of the object by its declared name: of a type that is derived, as this commit leaves it once its step has
// run; otherwise as it is stored. It returns nil where there is none. The condition must not be changed, and is of no use after the step.
func (v *view) Condition(conditionType string) any {
	if v.s == nil {
		return nil
	}
	var c *Condition
	switch i := v.s.kind.find(conditionType, 0); {
	case i >= 0 && v.s.slots[i].outcome == pendingOutcome:
		c = v.s.old(i)
	case i >= 0:
		c = v.s.current(i)
	default:
		if at := Find(v.s.stored, conditionType); at >= 0 {
			c = &v.s.stored[at]
		}
	}
	if c == nil {
		return nil // and no nil pointer
	}
	return c
}

// Gate is [Pass.Gate] for the summary of this step alone. A declared type counts with its declared polarity.
func (v *view) Gate(conditionType, name string) {
	if v.s == nil {
		return
	}
	polarity := Polarity(name)
	if i := v.s.kind.find(conditionType, 0); i >= 0 {
		conditionType, polarity = v.s.kind.Types[i].Name, v.s.kind.Types[i].Polarity
	}
	v.gates = insertGate(v.gates, gate{conditionType: conditionType, polarity: polarity, of: v.typ + 1})
}

// Summarize computes the declared summary of the type, with its gates. It returns false where nothing counts, and for a type without a
// summary.
func (v *view) Summarize() (merge.Outcome, bool) {
	if v.s == nil || v.s.kind.Types[v.typ].Summary == nil {
		return merge.Outcome{}, false
	}
	v.s.gates = append(slices.Clip(v.s.gates), v.gates...) // for the causes of the result, too
	f, ok := v.s.summary(v.typ)
	f.Type = v.s.kind.Types[v.typ].Name
	return merge.Outcome{Condition: f.Condition.Condition, Severity: string(f.Severity)}, ok
}

// derive runs the step of a type.
func (s *session) derive(i int) {
	slot, t, old := &s.slots[i], &s.kind.Types[i], s.old(i)
	v := view{s: s, typ: i}
	step := slot.step
	slot.step, slot.computing = nil, true
	m, causes, ok := step(&v)
	slot.computing, v.s = false, nil
	if !ok && slot.facts == 0 {
		if old == nil || !t.Lifecycle.final(old.Status, "") {
			s.state.Forget(t.Name) // no change is pending any more
			slot.retract = true
			s.remove(i)
			return
		}
		m, ok = merge.Outcome{Condition: old.Condition, Severity: string(old.Severity)}, true
	}
	if ok {
		f := fact{typ: i, Condition: conditionOf(m)}
		if err := s.kind.resolve(&f, true); err != nil {
			s.fail(err)
		}
		for _, c := range causes {
			s.causes = append(s.causes, typeCause{i, c})
		}
		if slot.facts++; slot.facts == 1 {
			slot.fact = f
		} else {
			s.more = append(s.more, f)
			s.combine(i)
		}
	}
	slot.reported = true
	s.publish(i)
}

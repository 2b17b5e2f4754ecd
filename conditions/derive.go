// SPDX-License-Identifier: Apache-2.0

package conditions

// step computes a type during a commit, with its causes; false: the type has no condition.
type step = func(*View) (Condition, []Cause, bool)

// View is the view of a step of [Pass.Derive] on the pass that is being committed. It is of no use after the step.
type View struct {
	s   *session
	typ int
}

// Derive registers the step that computes a type, with its causes. If step returns false, the type has no condition:
// it is removed from the list, unless its lifecycle says that it cannot change. Commit runs the steps in the order of
// registration, before it fills in types that were not reported. Each step sees the results of the steps before it as
// they are published: after lifecycle, dwell and stamp. A type has one step. Another report to the type takes part as
// one more fact.
func (p *Pass) Derive(conditionType string, step func(*View) (Condition, []Cause, bool)) {
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

// Condition returns a condition of the object by its declared name, or nil. A derived type whose step has run has the
// condition of this commit; any other type has the stored one. The condition must not be changed, and is invalid
// after the step.
func (v *View) Condition(conditionType string) *Condition {
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
	return c
}

// Summarize computes the declared summary of the type, with its gates. It returns false where nothing counts, and for a type without a
// summary.
func (v *View) Summarize() (Condition, bool) {
	if v.s == nil || v.s.kind.Types[v.typ].Summary == nil {
		return Condition{}, false
	}
	f, ok := v.s.summary(v.typ)
	f.Type = v.s.kind.Types[v.typ].Name
	return f.Condition, ok
}

// derive runs the step of a type.
func (s *session) derive(i int) {
	slot, t, old := &s.slots[i], &s.kind.Types[i], s.old(i)
	v := View{s: s, typ: i}
	step := slot.step
	slot.step, slot.computing = nil, true
	c, causes, ok := step(&v)
	slot.computing, v.s = false, nil
	if !ok && slot.facts == 0 {
		if old == nil || !t.Lifecycle.final(old.Status, "") {
			s.state.forget(t.Name) // no change is pending any more
			slot.retract = true
			s.remove(i)
			return
		}
		c, ok = *old, true
	}
	if ok {
		f := fact{typ: i, Condition: c}
		if err := s.kind.resolve(&f, true); err != nil {
			s.fail(err)
		}
		for _, cause := range causes {
			s.causes = append(s.causes, newCause(i, cause))
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

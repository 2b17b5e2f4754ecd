// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The abnormal conditions of dialect kstatus. They are reported, or follow from the classes of the object's other
// cells. Stalled follows from a cell of class terminal. Reconciling follows from a cell of class progress or
// transient, or from a cell without a class that is Unknown or stale. Both are True if the controller retries, or
// works on another cell, while it is stuck. Reconciling=False says that no work is left, so it is never False while
// Stalled is True. It is Unknown if nothing that counts is in progress, and absent if its presence leaves Unknown
// out. Informational types do not count, and summaries count only if nothing computes them.
const (
	TypeReconciling = "Reconciling"
	TypeStalled     = "Stalled"
)

// reasonDeadlineExceeded is the reason of Stalled where a cell without a reason of its own for that has lasted longer than its [Deadline].
const reasonDeadlineExceeded = "ProgressDeadlineExceeded"

// classify computes one of the two types. A report to it takes part: it is never better than its cells.
func (s *session) classify(i int) {
	slot, t := &s.slots[i], &s.kind.Types[i]
	slot.computing = true
	defer func() { slot.computing = false }()
	first := len(s.inputs)
	for j := range s.kind.Types {
		other := &s.kind.Types[j]
		if j == i || s.kind.abnormal(j) || other.Summary != nil || other.Role == RoleInformational || other.Polarity == Neutral ||
			s.slots[j].computing {
			continue
		}
		if s.dependent(i, j) == 0 {
			if in := &s.inputs[len(s.inputs)-1]; s.abnormalOf(j, in) != t.Name {
				*in = merge.Input{}
				s.inputs = s.inputs[:len(s.inputs)-1]
			}
		}
	}
	inputs := s.inputs[first:]
	if len(inputs) > 0 {
		f := s.abnormal(i, inputs)
		if slot.facts == 0 || byBadness(t, &f, &slot.fact) < 0 {
			slot.fact, slot.facts = f, 1
		}
	}
	clear(inputs)
	s.inputs = s.inputs[:first]
	if f, ok := s.exceeded(i); ok && (slot.facts == 0 || byBadness(t, &f, &slot.fact) < 0) {
		slot.fact, slot.facts = f, 1
	}
}

// stalls returns true if the type at the position is Reconciling and Stalled is True in this commit.
func (s *session) stalls(i int) bool {
	j := s.kind.find(TypeStalled, 0)
	if s.kind.Types[i].Name != TypeReconciling || j < 0 || !s.kind.abnormal(j) {
		return false
	}
	s.settle(j)
	c := s.current(j)
	return c != nil && s.kind.Types[j].Polarity.Bad(c.Status)
}

// abnormalOf returns the abnormal condition that an input which is not healthy makes True; "" for none.
func (s *session) abnormalOf(j int, in *merge.Input) string {
	t, c := &s.kind.Types[j], in.Condition
	if c == nil {
		if in.Optional || t.Presence != PresenceAlways && t.Presence != "" {
			return ""
		}
		return TypeReconciling
	}
	if cell := t.reason(c.Reason, c.Status); cell >= 0 && !in.Stale {
		switch t.Reasons[cell].Class {
		case ClassTerminal:
			return TypeStalled
		case ClassSuspended, ClassOK:
			return ""
		}
	}
	return TypeReconciling
}

// abnormal returns the unhealthy fact that inputs make.
func (s *session) abnormal(i int, inputs []merge.Input) fact {
	t := &s.kind.Types[i]
	bad := statusOf(weightUnhealthy, t.Polarity)
	list := make([]metav1.Condition, len(inputs)) // an Unknown condition is as abnormal as an unhealthy one
	for j := range inputs {
		in := &inputs[j]
		c := &list[j]
		if in.Condition != nil && !in.Stale {
			*c = *in.Condition
		} else {
			r := merge.Item{Source: &merge.Source{Stale: in.Stale}, Condition: in.Condition}
			c.Reason, c.Message, in.Severity = r.Reason(), r.Message(), ""
		}
		c.Status, in.Negative, in.Neutral, in.Stale = False, false, false, false
		in.Condition = c
	}
	s.target, s.options = t.target(), merge.Options{}
	s.target.Imported = true
	if old := s.old(i); old != nil {
		s.options.Stored = old.Message
	}
	s.merger.Start(DialectCore.rules(), &s.options, &s.target, false, false)
	m, _ := s.merger.Merge(inputs)
	s.merger.Release()
	f := fact{typ: i, cell: len(t.Reasons), Condition: conditionOf(m)}
	f.Status = bad
	if len(t.Reasons) > 0 && !t.Imported &&
		!slices.ContainsFunc(t.Reasons, func(r Reason) bool { return r.Name == f.Reason && r.Status == bad }) {
		f.Reason = fallbackReason(t, bad, reasonUnhealthy)
	}
	if cell := t.reason(f.Reason, bad); cell >= 0 {
		f.cell = cell
	}
	return f
}

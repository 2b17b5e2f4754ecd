// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// outcome is the decision of a commit about a type.
type outcome uint8

const (
	pendingOutcome outcome = iota
	absent                 // not in the list; removed if it is
	kept                   // the stored entry stays as it is
	written                // a new entry
)

// slot is the state of one declared type during a pass.
type slot struct {
	fact fact // the first one; further ones are in session.more
	slotState
}

type slotState struct {
	facts    int
	reported bool // one of them was reported in this pass
	retract  bool

	at         int // position of the stored entry plus one; 0: none
	outcome    outcome
	superseded bool
	awaited    bool          // its wait is entered
	expired    time.Duration // how long its cell was to last at most, where it has lasted longer
	step       step
	computing  bool // a summary is being computed: meeting it again is a cycle
}

func (s *session) commit(out *Result) {
	s.locate()
	for i := range s.slots {
		slot, t := &s.slots[i], &s.kind.Types[i]
		if slot.facts == 1 && t.held(slot.fact.cell) || slot.facts > 1 && t.holds() {
			s.hold(i)
		}
	}
	for _, step := range s.steps {
		s.settle(step.typ)
	}
	for i := range s.slots {
		s.settle(i)
	}
	out.Changed = s.repair
	for i := range s.slots {
		slot := &s.slots[i]
		if s.unreported(i) {
			out.unreported = out.unreported.with(i)
		}
		switch {
		case slot.superseded:
			out.Superseded = append(out.Superseded, s.kind.Types[i].Name)
		case slot.outcome == written, slot.outcome == absent && slot.at > 0:
			out.Changed = true
			s.transition(i, out)
		}
	}
	if len(s.kind.Retired) > 0 {
		s.retire(out)
	}
	if s.waiting != nil || len(s.waits) > 0 {
		out.waits = s.keepWaits()
		out.Changed = out.Changed || out.waits
	}
	out.Waits = s.waits
	if len(s.errs) > 0 {
		slices.SortStableFunc(s.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
		out.Errors = s.errs
	}
	out.asked = s.asked
	out.RequeueAt = s.requeueAt
	out.kind, out.generation, out.now = s.kind, s.generation, s.now.Unix()
	if len(s.causes)+len(s.gates) > 0 {
		out.background = &background{kept: s.causes, gates: s.gates}
	}
	if out.Changed {
		out.list = s.list()
	}
}

// unreported reports whether the outcome of a type rests on the stored list alone.
func (s *session) unreported(i int) bool {
	slot, t := &s.slots[i], &s.kind.Types[i]
	byRule := t.Foreign || t.Summary != nil || t.Unreported == UnreportedUnknown || t.Unreported == UnreportedFail || s.kind.abnormal(i)
	return !slot.reported && !slot.retract && !byRule
}

// locate finds the stored entry of each type. The right name wins over an alias, the first entry over a repeated one.
func (s *session) locate() {
	hint := 0
	s.types = s.types[:0]
	for i := range s.stored {
		t := s.kind.find(s.stored[i].Type, hint)
		if s.types = append(s.types, t); t < 0 {
			s.repair = s.repair || s.retires(i)
			continue
		}
		hint = t + 1
		if hint == len(s.kind.Types) {
			hint = 0
		}
		typ, slot := &s.kind.Types[t], &s.slots[t]
		switch {
		case slot.at == 0:
			slot.at = i + 1
		default:
			s.repair = s.repair || !typ.Foreign
			if s.stored[slot.at-1].Type != typ.Name && s.stored[i].Type == typ.Name {
				slot.at = i + 1
			}
		}
		if !typ.Foreign {
			s.owned++
		}
	}
}

// retires reports whether the entry at the position of the stored list is of a retired type, and goes.
func (s *session) retires(i int) bool {
	c := &s.stored[i]
	return slices.Contains(s.kind.Retired, c.Type) && !s.observedLater(c)
}

// old is the stored entry of a type, or nil.
func (s *session) old(i int) *Condition {
	if at := s.slots[i].at; at > 0 {
		return &s.stored[at-1]
	}
	return nil
}

// current is the entry of a type as the commit leaves it, or nil.
func (s *session) current(i int) *Condition {
	switch slot := &s.slots[i]; slot.outcome {
	case written:
		return &s.next[i]
	case kept:
		return s.old(i)
	}
	return nil
}

// entry is where the new entry of a type is made.
func (s *session) entry(i int) *Condition {
	if cap(s.next) < len(s.slots) {
		s.next = make([]Condition, len(s.slots))
	}
	s.next, s.wrote = s.next[:len(s.slots)], true
	return &s.next[i]
}

// settle decides the outcome of a type.
func (s *session) settle(i int) {
	slot, t := &s.slots[i], &s.kind.Types[i]
	switch {
	case slot.outcome != pendingOutcome:
		return
	case slot.step != nil:
		s.derive(i)
		return
	case slot.facts == 1 && t.Summary == nil && !s.kind.abnormal(i):
		s.publish(i)
		return
	}
	old := s.old(i)
	if t.Foreign {
		slot.outcome = absent
		if old != nil {
			slot.outcome = kept
		}
		return
	}
	if slot.facts > 1 {
		s.combine(i)
	}
	abnormal := s.kind.abnormal(i)
	if slot.facts > 0 || !slot.retract {
		switch {
		case t.Summary != nil:
			s.summarize(i)
		case abnormal:
			s.classify(i)
		}
	}
	switch {
	case abnormal && !slot.retract && (slot.facts == 0 || t.Polarity.Good(slot.fact.Status)) && s.stalls(i):
		s.unknown(i)
	case slot.facts > 0:
		s.publish(i)
	case slot.retract, t.Summary != nil && s.rules.EmptyIsAbsent:
		s.remove(i)
	case t.Optional && old == nil:
		slot.outcome = absent
	case abnormal:
		s.healthy(i)
	case t.Summary != nil:
		s.fail(fmt.Errorf("%s: condition %s: there is nothing to summarize: no condition that counts is stored or reported", s.kind.Kind, t.Name))
		s.unknown(i)
	case t.Unreported == UnreportedUnknown, t.Unreported == UnreportedFail:
		if t.Unreported == UnreportedFail {
			s.fail(errors.New(s.kind.Kind + ": condition " + t.Name + " was not reached in this pass"))
		}
		s.unknown(i)
	case old != nil && present(t.Presence, old.Status, true):
		slot.outcome = kept
		// Under an alias: the right name is written. So is what cannot be true: a time in the future, a negative generation.
		if (old.Type != t.Name || s.ahead(old) || old.ObservedGeneration < 0) && !s.newer(i) {
			next := s.entry(i)
			*next = *old
			next.Type, next.LastTransitionTime, next.ObservedGeneration = t.Name, s.now, max(0, old.ObservedGeneration)
			s.finish(i, next.Message)
		}
	case old != nil:
		s.remove(i)
	case t.StartHealthy && present(t.Presence, Unknown, false) && s.wasHealthy():
		s.healthy(i)
	default:
		s.unknown(i)
	}
}

// wasHealthy reports whether every stored condition of role summary is healthy, and there is one.
func (s *session) wasHealthy() bool {
	found := false
	for i := range s.kind.Types {
		if t := &s.kind.Types[i]; t.Role == RoleSummary {
			if old := s.old(i); old != nil {
				if found = true; !t.Polarity.Good(old.Status) {
					return false
				}
			}
		}
	}
	return found
}

// healthy reports that there is nothing against it.
func (s *session) healthy(i int) {
	s.slots[i].fact, s.slots[i].facts = s.kind.newFact(i, weightHealthy, reasonHealthy), 1
	s.publish(i)
}

// unknown reports that nothing was reported.
func (s *session) unknown(i int) {
	f := s.kind.newFact(i, weightUnknown, reasonNotReported)
	if cell := s.kind.Types[i].reason(reasonNotReported, Unknown); cell >= 0 {
		f.cell, f.Reason = cell, reasonNotReported
	}
	s.slots[i].fact, s.slots[i].facts = f, 1
	s.publish(i)
}

// transition notes a change of status.
func (s *session) transition(i int, out *Result) {
	if tr, changed := s.kind.Types[i].Transition(s.old(i), s.current(i)); changed {
		if tr.To.Status != "" && s.kind.Types[i].Polarity.Bad(tr.To.Status) {
			tr.Severity = cmp.Or(tr.Severity, s.slots[i].fact.Severity)
		}
		out.Transitions = append(out.Transitions, tr)
	}
}

// retire notes the retired types that go, and those that a newer observer still writes.
func (s *session) retire(out *Result) {
	for i := range s.stored {
		switch c := &s.stored[i]; {
		case s.types[i] >= 0 || !slices.Contains(s.kind.Retired, c.Type):
		case s.observedLater(c):
			out.Superseded = append(out.Superseded, c.Type)
		default:
			out.Transitions = append(out.Transitions, Transition{Type: c.Type, From: *c})
		}
	}
}

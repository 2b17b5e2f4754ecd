// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// summarize computes a type with a summary rule. A report to the type itself takes part: the worse of the two
// is published, so that a summary is never healthy over an unhealthy or unknown dependent.
func (s *session) summarize(i int) {
	slot, t := &s.slots[i], &s.kind.Types[i]
	slot.computing = true
	f, ok := s.summary(i)
	slot.computing = false
	if ok && (slot.facts == 0 || byBadness(t, &f, &slot.fact) < 0) {
		slot.fact, slot.facts = f, 1
	}
}

// summary merges the dependents and the gates of a summary.
func (s *session) summary(i int) (fact, bool) {
	t := &s.kind.Types[i]
	first := len(s.inputs) // summaries of summaries stack up behind
	healthy := 0
	if len(t.Summary.Of) == 0 {
		for j := range s.kind.Types {
			if s.kind.Types[j].Role == RoleDependent && j != i && !s.kind.abnormal(j) {
				healthy += s.dependent(i, j)
			}
		}
	} else {
		hint := 0
		for _, name := range t.Summary.Of {
			if j := s.kind.find(name, hint); j >= 0 && j != i {
				healthy += s.dependent(i, j)
				hint = min(j+1, len(s.slots)-1)
			} else {
				s.fail(fmt.Errorf("%s: condition %s: the summary names %q, which is not another declared type", s.kind.Kind, t.Name, name))
				s.addInput().Type = name
			}
		}
	}
	if len(s.gates) > 0 && t.Role == RoleSummary {
		healthy += s.gated(i)
	}
	f, ok := s.merge(i, healthy, s.inputs[first:])
	clear(s.inputs[first:])
	s.inputs = s.inputs[:first]
	return f, ok
}

// merge returns the fact that the inputs of a summary make.
func (s *session) merge(i, healthy int, others []merge.Input) (fact, bool) {
	t := &s.kind.Types[i]
	if len(others) == 0 && healthy > 0 {
		f := s.kind.newFact(i, weightHealthy, reasonHealthy)
		if s.rules.Merge != nil {
			f.Reason = ""
		}
		return f, true
	}
	f := fact{typ: i, cell: len(t.Reasons)}
	o := &s.options // its fields are set one by one: the options are large, and the others are zero
	o.Missing, o.Counter, o.Total, o.Recent = t.Summary.Missing, t.Summary.Counter, 0, t.Summary.Recent
	if steps := t.Summary.CounterOnly; steps != nil {
		o.Counter, o.Total = s.only(i, steps), len(steps)
	}
	o.Stored = ""
	if old := s.old(i); old != nil {
		o.Stored = old.Message
	}
	s.target = t.target()
	s.merger.Start(s.rules, o, &s.target, false, false)
	s.merger.AddHealthy(healthy)
	m, ok := s.merger.Merge(others)
	s.merger.Release()
	f.Condition = conditionOf(m)
	if !ok && s.rules.Merge == nil && s.absentAndHealthy(i) {
		return s.kind.newFact(i, weightHealthy, reasonHealthy), true
	}
	if cell := t.reason(f.Reason, f.Status); cell >= 0 {
		f.cell = cell
	}
	return f, ok
}

// absentAndHealthy reports whether a dependent of a summary is absent because it is healthy.
func (s *session) absentAndHealthy(i int) bool {
	for j := range s.kind.Types {
		if t := &s.kind.Types[j]; s.kind.sums(i, j) && t.Presence == PresenceWhenTrue && t.Polarity == Negative {
			return true
		}
	}
	return false
}

// only reports whether no dependent of a summary is reported but those that are named.
func (s *session) only(i int, steps []string) bool {
	for j := range s.kind.Types {
		t := &s.kind.Types[j]
		if s.kind.sums(i, j) && s.current(j) != nil &&
			!slices.ContainsFunc(steps, func(name string) bool { return name == t.Name || slices.Contains(t.Aliases, name) }) {
			return false
		}
	}
	return true
}

// dependent looks at the type at position j, as this commit leaves it, for the summary at position i. It returns 1 for a healthy
// one; any other becomes an input.
func (s *session) dependent(i, j int) int {
	if s.slots[j].outcome == pendingOutcome && !s.slots[j].computing {
		s.settle(j)
	}
	t, c := &s.kind.Types[j], s.current(j)
	if c != nil && t.Polarity.Good(c.Status) && (!s.kind.stale(&c.Condition, s.generation) || t.Lifecycle.final(c.Status, "")) {
		return 1
	}
	s.input(i, j, c)
	return 0
}

// input adds a dependent that is not healthy.
func (s *session) input(i, j int, c *Condition) {
	slot, t := &s.slots[j], &s.kind.Types[j]
	if slot.computing {
		s.fail(fmt.Errorf("%s: conditions %s and %s summarize each other", s.kind.Kind, s.kind.Types[i].Name, t.Name))
		in := s.addInput()
		in.Type, in.Negative, in.Neutral = t.Name, t.Polarity == Negative, t.Polarity == Neutral
		return
	}
	if c == nil && slot.reported && !t.Polarity.Good(slot.fact.Status) {
		c = s.unlisted(i, j)
	}
	in := s.addInput()
	s.kind.input(in, j, c, s.generation)
	if f := &slot.fact; c != nil && slot.facts > 0 && f.Status == c.Status && f.Reason == c.Reason {
		in.Declared = string(cmp.Or(f.Severity, Severity(in.Declared))) // as reported in this pass
	}
}

// addInput adds a zero input.
func (s *session) addInput() *merge.Input {
	n := len(s.inputs)
	s.inputs = slices.Grow(s.inputs, 1)[:n+1] // cleared when it was used before
	return &s.inputs[n]
}

// unlisted returns a reported condition that presence keeps out of the list. It still counts in the summary and is one
// of its causes.
func (s *session) unlisted(i, j int) *Condition {
	f, c := &s.slots[j].fact, s.entry(j)
	*c = s.kind.condition(f)
	c.Severity = SeverityNone
	if s.kind.Dialect.Generations() {
		c.ObservedGeneration = s.generation
	}
	s.addFact(i, f)
	return c
}

// combine makes one fact of several about a type: declared precedence picks the reason, the message names them all.
func (s *session) combine(i int) {
	slot, t := &s.slots[i], &s.kind.Types[i]
	facts := make([]fact, 0, slot.facts)
	facts = append(facts, slot.fact)
	for _, f := range s.more {
		if f.typ == i {
			facts = append(facts, f)
		}
	}
	slices.SortFunc(facts, func(a, b fact) int {
		return cmp.Or(
			cmp.Compare(a.cell, b.cell), byBadness(t, &a, &b), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message), a.LastTransitionTime.Compare(b.LastTransitionTime.Time))
	})
	best := facts[0]
	healthy := statusOf(weightHealthy, t.Polarity)
	facts = slices.CompactFunc(facts, func(a, b fact) bool {
		return says(&a.Condition.Condition, &b.Condition.Condition)
	})
	facts = slices.DeleteFunc(facts, func(f fact) bool { // a healthy fact explains nothing about an unhealthy condition
		return t.Polarity != Neutral && best.Status != healthy && f.Status == healthy
	})
	if len(facts) > 1 {
		for j := range facts {
			s.addFact(i, &facts[j])
		}
		alike := !slices.ContainsFunc(facts, func(f fact) bool { return f.Reason != best.Reason })
		b := &s.text
		b.Reset()
		for _, f := range facts {
			if alike && f.Message == "" {
				continue
			}
			b.Begin(1)
			if !alike {
				b.Append(f.Reason)
				if f.Message != "" && f.Reason != "" {
					b.Append(": ")
				}
			}
			b.Append(f.Message)
			b.End()
		}
		b.Finish("; and ", " more")
		stored := ""
		if old := s.old(i); old != nil {
			stored = old.Message
		}
		best.Message = b.Text(stored)
	}
	slot.fact, slot.facts = best, 1
}

// byBadness orders facts worst first: unhealthy by severity, Unknown, healthy.
func byBadness(t *Type, a, b *fact) int {
	return cmp.Or(
		cmp.Compare(badness(t, a.Status), badness(t, b.Status)),
		cmp.Compare(a.Severity.Rank(), b.Severity.Rank()))
}

func badness(t *Type, s Status) merge.Weight {
	switch {
	case s == Unknown:
		return weightUnknown
	case t.Polarity.Bad(s):
		return weightUnhealthy
	}
	return weightHealthy
}

// conditionOf is the condition of an outcome.
func conditionOf(m merge.Outcome) Condition {
	return Condition{Condition: m.Condition, Severity: Severity(m.Severity)}
}

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"fmt"
	"slices"
)

// summarize computes a type with a summary rule. What was reported to the type itself takes part: the worse of the two
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
	every := s.every
	s.every = t.Summary.Merge != nil || s.rules.AlwaysMerge
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
				s.inputs = append(s.inputs, Input{Type: name})
			}
		}
	}
	if len(s.gates) > 0 {
		healthy += s.gated(i)
	}
	s.every = every
	f, ok := s.merge(i, healthy, s.inputs[first:])
	clear(s.inputs[first:])
	s.inputs = s.inputs[:first]
	return f, ok
}

// merge returns the fact that a summary comes to.
func (s *session) merge(i, healthy int, others []Input) (fact, bool) {
	t := &s.kind.Types[i]
	f := fact{typ: i, cell: len(t.Reasons)}
	if len(others) == 0 && healthy > 0 {
		f.status = statusOf(weightHealthy, t.Polarity)
		if s.rules.Merge == nil {
			f.reason = fallbackReason(t, f.status, reasonHealthy)
		}
		return f, true
	}
	s.options = MergeOptions{Dialect: s.kind.Dialect, Target: *t, Missing: t.Summary.Missing, Counter: t.Summary.Counter, Entries: t.Summary.Entries}
	if steps := t.Summary.CounterOnly; steps != nil {
		s.options.Counter, s.options.Total = s.only(i, steps), len(steps)
	}
	if old := s.old(i); old != nil {
		s.options.stored = old.Message
	}
	if t.Summary.Merge != nil {
		m, ok := t.Summary.Merge(ownInputs(others), s.options)
		f.status, f.severity, f.reason, f.message = m.Condition.Status, m.Condition.Severity, m.Condition.Reason, m.Condition.Message
		if ok {
			s.resolve(&f, true)
			for _, c := range m.Causes {
				s.addCause(i, c)
			}
		}
		return f, ok
	}
	s.merger.start(&s.options, false, false)
	s.merger.addHealthy(healthy)
	for j := range others {
		s.merger.offer(&others[j])
	}
	m, ok := s.merger.finish()
	c := &m.Condition
	f.status, f.severity, f.reason, f.message = c.Status, c.Severity, c.Reason, c.Message
	if !ok && s.rules.Merge == nil && s.absentAndHealthy(i) {
		f.status = statusOf(weightHealthy, t.Polarity)
		f.reason = fallbackReason(t, f.status, reasonHealthy)
		ok = true
	}
	if cell := t.reason(f.reason, f.status); cell >= 0 {
		f.cell = cell
	}
	return f, ok
}

// absentAndHealthy reports whether a dependent of a summary is absent because it is healthy.
func (s *session) absentAndHealthy(i int) bool {
	for j := range s.kind.Types {
		if t := &s.kind.Types[j]; s.kind.sums(i, j) && t.Presence == WhenTrue && t.Polarity == Negative {
			return true
		}
	}
	return false
}

// only reports whether no dependent of a summary is reported but those that are named.
func (s *session) only(i int, steps []string) bool {
	for j := range s.kind.Types {
		t := &s.kind.Types[j]
		if s.kind.sums(i, j) && s.current(j) != nil && !slices.ContainsFunc(steps, func(name string) bool { return name == t.Name || slices.Contains(t.Aliases, name) }) {
			return false
		}
	}
	return true
}

// ownInputs copies inputs with their conditions, which the caller may keep: the memory of a commit is used again.
func ownInputs(list []Input) []Input {
	out := slices.Clone(list)
	for i := range out {
		if c := out[i].Condition; c != nil {
			own := *c
			out[i].Condition = &own
		}
	}
	return out
}

// dependent looks at the type at position j, as this commit leaves it, for the summary at position i. It returns 1 for a healthy
// one; any other becomes an input.
func (s *session) dependent(i, j int) int {
	if s.slots[j].outcome == pendingOutcome && !s.slots[j].computing {
		s.settle(j)
	}
	t, c := &s.kind.Types[j], s.current(j)
	if !s.every && c != nil && fine(c.Status, t.Polarity) && (!s.kind.stale(c, s.generation) || t.Lifecycle.final(c.Status, "")) {
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
		s.inputs = append(s.inputs, Input{Type: t.Name, Polarity: t.Polarity})
		return
	}
	if c == nil && slot.reported && !fine(slot.fact.status, t.Polarity) {
		c = s.unlisted(i, j)
	}
	in := s.kind.input(j, c, s.generation)
	if f := &slot.fact; c != nil && slot.facts > 0 && f.status == c.Status && f.reason == c.Reason {
		in.Severity = cmp.Or(f.severity, in.Severity) // as reported in this pass
	}
	s.inputs = append(s.inputs, in)
}

// unlisted is a fact that was reported of a type which does not stand in the list in this state: it counts nevertheless, and is a cause of
// the summary.
func (s *session) unlisted(i, j int) *Condition {
	f, t := &s.slots[j].fact, &s.kind.Types[j]
	c := s.entry(j)
	*c = Condition{}
	c.Type, c.Status, c.Reason, c.Message = t.Name, f.status, f.reason, f.message
	if s.kind.Dialect.Generations() {
		c.ObservedGeneration = s.generation
	}
	s.addCause(i, Cause{Type: t.Name, Status: f.status, Severity: f.severity, Reason: f.reason, Message: f.message})
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
			cmp.Compare(a.cell, b.cell), byBadness(t, &a, &b), cmp.Compare(a.status, b.status),
			cmp.Compare(a.reason, b.reason), cmp.Compare(a.message, b.message), a.since.Compare(b.since))
	})
	best := facts[0]
	healthy := statusOf(weightHealthy, t.Polarity)
	facts = slices.CompactFunc(facts, func(a, b fact) bool {
		return a.status == b.status && a.reason == b.reason && a.message == b.message
	})
	facts = slices.DeleteFunc(facts, func(f fact) bool { // a healthy fact explains nothing about an unhealthy condition
		return t.Polarity != Neutral && best.status != healthy && f.status == healthy
	})
	if len(facts) > 1 {
		for j := range facts {
			s.addCause(i, Cause{Type: t.Name, Status: facts[j].status, Severity: facts[j].severity, Reason: facts[j].reason, Message: facts[j].message})
		}
		alike := !slices.ContainsFunc(facts, func(f fact) bool { return f.reason != best.reason })
		b := &s.merger.buf
		b.reset()
		for _, f := range facts {
			switch {
			case alike && f.message == "":
				continue
			case alike:
				b.begin(1)
				b.b = append(b.b, f.message...)
			default:
				b.begin(1)
				b.b = append(b.b, f.reason...)
				if f.message != "" && f.reason != "" {
					b.b = append(b.b, ": "...)
				}
				b.b = append(b.b, f.message...)
			}
			b.end()
		}
		b.finish("; and ", " more")
		stored := ""
		if old := s.old(i); old != nil {
			stored = old.Message
		}
		best.message = b.text(stored)
	}
	slot.fact, slot.facts = best, 1
}

// byBadness orders facts worst first: unhealthy by severity, Unknown, healthy.
func byBadness(t *Type, a, b *fact) int {
	return cmp.Or(
		cmp.Compare(badness(t, a.status), badness(t, b.status)),
		cmp.Compare(severityRank(a.severity), severityRank(b.severity)))
}

func badness(t *Type, s Status) weight {
	switch {
	case s == Unknown:
		return weightUnknown
	case unhealthy(s, t.Polarity):
		return weightUnhealthy
	}
	return weightHealthy
}

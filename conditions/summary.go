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
	first := len(s.inputs) // summaries of summaries stack up behind
	if len(t.Summary.Of) == 0 {
		for j := range s.kind.Types {
			if s.kind.Types[j].Role == RoleDependent && j != i {
				s.input(i, j)
			}
		}
	} else {
		hint := 0
		for _, name := range t.Summary.Of {
			if j := s.kind.find(name, hint); j >= 0 && j != i {
				s.input(i, j)
				hint = min(j+1, len(s.slots)-1)
			} else {
				s.fail(fmt.Errorf("%s: condition %s: the summary names %q, which is not another declared type", s.kind.Kind, t.Name, name))
				s.inputs = append(s.inputs, Input{Type: name})
			}
		}
	}
	slot.computing = false
	o := MergeOptions{Target: *t, Missing: t.Summary.Missing, Counter: t.Summary.Counter}
	if s.kind.Dialect == CAPIv1beta1 {
		o.Profile = ProfileCAPIv1beta1
	}
	if old := s.old(i); old != nil {
		o.stored = old.Message
	}
	m, ok := s.merger.merge(s.inputs[first:], &o, false, false)
	clear(s.inputs[first:])
	s.inputs = s.inputs[:first]
	if !ok {
		return
	}
	c := &m.Condition
	f := fact{typ: i, cell: len(t.Reasons), status: c.Status, severity: c.Severity, reason: c.Reason, message: c.Message}
	if cell := t.reason(f.reason, f.status); cell >= 0 {
		f.cell = cell
	}
	if slot.facts == 0 || byBadness(t, &f, &slot.fact) < 0 {
		slot.fact = f
	}
	slot.facts = 1
}

// input adds the type at position j, as this commit leaves it, to the inputs of the summary at position i. A negative type
// that stands in the list only while True is healthy when it is absent.
func (s *session) input(i, j int) {
	t := &s.kind.Types[j]
	in := Input{Type: t.Name, Polarity: t.Polarity, Optional: t.Optional || t.Presence == WhenTrue && t.Polarity == Negative}
	if s.slots[j].computing {
		s.fail(fmt.Errorf("%s: conditions %s and %s summarize each other", s.kind.Kind, s.kind.Types[i].Name, t.Name))
		in.Optional = false
	} else {
		s.settle(j)
		in.Condition = s.current(j)
		in.Stale = in.Condition != nil && s.stale(in.Condition)
	}
	s.inputs = append(s.inputs, in)
}

// stale tells whether a condition was observed at an older generation. 0 means that the writer does not say.
func (s *session) stale(c *Condition) bool {
	return s.kind.Dialect != CAPIv1beta1 && c.ObservedGeneration != 0 && c.ObservedGeneration < s.generation
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
			cmp.Compare(a.cell, b.cell), byBadness(t, &a, &b),
			cmp.Compare(a.reason, b.reason), cmp.Compare(a.message, b.message), a.since.Compare(b.since))
	})
	best := facts[0]
	healthy := statusOf(weightHealthy, t.Polarity)
	facts = slices.CompactFunc(facts, func(a, b fact) bool {
		return a.status == b.status && a.reason == b.reason && a.message == b.message
	})
	facts = slices.DeleteFunc(facts, func(f fact) bool { // a healthy fact explains nothing about an unhealthy condition
		return best.status != healthy && f.status == healthy
	})
	if len(facts) > 1 {
		alike := !slices.ContainsFunc(facts, func(f fact) bool { return f.reason != best.reason })
		b := &s.merger.buf
		b.reset()
		for _, f := range facts {
			switch {
			case alike && f.message == "":
				continue
			case alike:
				b.begin()
				b.b = append(b.b, f.message...)
			default:
				b.begin()
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

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// gate is a condition that the object's spec names.
type gate struct {
	conditionType string
	polarity      Polarity
}

// input is the gate as an input of a summary, without its condition.
func (g *gate) input() merge.Input {
	return merge.Input{Type: g.conditionType, Negative: g.polarity == Negative, Neutral: g.polarity == Neutral}
}

// insertGate inserts a gate by name, once.
func insertGate(list []gate, g gate) []gate {
	g.polarity = cmp.Or(g.polarity, Positive)
	at, found := slices.BinarySearchFunc(list, g, func(a, b gate) int {
		return cmp.Or(cmp.Compare(a.conditionType, b.conditionType), cmp.Compare(a.polarity, b.polarity))
	})
	if found {
		return list
	}
	return slices.Insert(list, at, g)
}

// Gate makes a condition that the object's spec names (spec.readinessGates and the like) count in every summary of this
// pass whose type has role summary, though no kind declares it. Missing counts as Unknown. The condition is read from the
// stored list, where another writer puts it. A type that the kind declares counts with its declared polarity, and once. A
// summary that rests itself on the one that it gates counts by everything else that it rests on: two summaries that gate each other are
// healthy together. The order of the calls does not matter.
func (p *Pass) Gate(conditionType string, polarity Polarity) {
	r := p.open("Gate", conditionType)
	if r == nil {
		return
	}
	if i := r.kind.find(conditionType, 0); i >= 0 {
		t := &r.kind.Types[i]
		declared, given := cmp.Or(t.Polarity, Positive), cmp.Or(polarity, Positive)
		if declared != given {
			r.fail(fmt.Errorf("%s: gate %s: the polarity is declared %s and given as %s", r.kind.Kind, conditionType, declared, given))
		}
		conditionType, polarity = t.Name, declared
	}
	r.lock()
	defer r.unlock()
	r.gates = insertGate(r.gates, gate{conditionType: conditionType, polarity: polarity})
}

// gated adds the gates to the inputs of the summary at position i, and returns the number of healthy ones.
func (s *session) gated(i int) int {
	healthy := 0
	seen := map[int]bool{i: true}
	for _, g := range s.gates {
		healthy += s.gateOn(i, g, seen)
	}
	return healthy
}

// gateOn adds one gate. Types that were seen are counted already.
func (s *session) gateOn(i int, g gate, seen map[int]bool) int {
	if j := s.kind.find(g.conditionType, 0); j >= 0 {
		if s.kind.sums(i, j) {
			return 0
		}
		return s.gateOnType(i, j, seen)
	}
	in := g.input()
	if at := Find(s.stored, g.conditionType); at >= 0 && !s.retires(at) {
		offer(&in, &s.stored[at])
		in.Stale = s.kind.stale(in.Condition, s.generation)
	}
	if in.Condition != nil && !in.Stale && g.polarity.Good(in.Condition.Status) {
		return 1
	}
	s.inputs = append(s.inputs, in)
	return 0
}

// gateOnType adds the declared type at position j, or, where that rests on the summary at position i, what else it rests on.
func (s *session) gateOnType(i, j int, seen map[int]bool) int {
	if seen[j] {
		return 0
	}
	seen[j] = true
	if !s.rests(j, i, map[int]bool{}) {
		return s.dependent(i, j)
	}
	if slot := &s.slots[j]; slot.facts > 0 { // reports to it count as well
		if slot.facts > 1 {
			s.combine(j)
		}
		if c := s.kind.condition(&slot.fact); !s.kind.Types[j].Polarity.Good(c.Status) {
			s.kind.input(s.addInput(), j, &c, s.generation)
		}
	}
	healthy := 0
	for k := range s.kind.Types {
		if s.kind.sums(j, k) && !s.kind.sums(i, k) {
			healthy += s.gateOnType(i, k, seen)
		}
	}
	return healthy // the gates of the other type also apply to this one
}

// rests reports whether the type at position j is a summary that looks at the one at position i, by way of others or of gates.
func (s *session) rests(j, i int, seen map[int]bool) bool {
	t := &s.kind.Types[j]
	if t.Summary == nil || seen[j] {
		return false
	}
	seen[j] = true
	for k := range s.kind.Types {
		if k != j && (s.kind.sums(j, k) || s.isGate(j, k)) && (k == i || s.rests(k, i, seen)) {
			return true
		}
	}
	return false
}

// isGate reports whether the type at position k is a gate of the summary at position i.
func (s *session) isGate(i, k int) bool {
	return s.kind.Types[i].Role == RoleSummary &&
		slices.ContainsFunc(s.gates, func(g gate) bool { return g.conditionType == s.kind.Types[k].Name })
}

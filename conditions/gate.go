// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"fmt"
	"slices"
)

// gate is a condition that the object's spec names.
type gate struct {
	conditionType string
	polarity      Polarity
}

// Gate makes a condition that the object's spec names (spec.readinessGates and the like) count in every summary of this
// pass whose type has role summary, though nobody declared it. Missing counts as Unknown. The condition is read from the
// stored list, where somebody else writes it. A type that the kind declares counts with its declared polarity, and once.
// The order of the calls does not matter.
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
	g := gate{conditionType, cmp.Or(polarity, Positive)}
	r.lock()
	defer r.unlock()
	at, found := slices.BinarySearchFunc(r.gates, g, func(a, b gate) int {
		return cmp.Or(cmp.Compare(a.conditionType, b.conditionType), cmp.Compare(a.polarity, b.polarity))
	})
	if !found {
		r.gates = slices.Insert(r.gates, at, g)
	}
}

// gated adds the gates to the inputs of the summary at position i, and gives the number of healthy ones.
func (s *session) gated(i int) int {
	healthy := 0
	for _, g := range s.gates {
		if j := s.kind.find(g.conditionType, 0); j >= 0 {
			if j != i && !s.kind.sums(i, j) {
				healthy += s.dependent(i, j)
			}
			continue
		}
		in := Input{Type: g.conditionType, Polarity: g.polarity}
		if at := Find(s.stored, g.conditionType); at >= 0 && !s.retires(at) {
			in.Condition = &s.stored[at]
			in.Stale = s.kind.stale(in.Condition, s.generation)
		}
		if !s.every && in.Condition != nil && !in.Stale && fine(in.Condition.Status, in.Polarity) {
			healthy++
			continue
		}
		s.inputs = append(s.inputs, in)
	}
	return healthy
}

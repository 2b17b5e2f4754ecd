// SPDX-License-Identifier: Apache-2.0

package conditions

import "slices"

// list builds the new list: the places held by owned entries take the owned entries in declared order, entries of
// others keep theirs, what is new comes last. In dialect capi-v1beta2 the order is that of [SetCAPIv1beta2].
func (s *session) list() []Condition {
	n := len(s.stored) - s.ownedCount
	for i := range s.slots {
		if !s.kind.Types[i].Foreign && s.current(i) != nil {
			n++
		}
	}
	out := make([]Condition, 0, n)
	order := s.order()
	next := 0
	take := func() bool {
		for next < len(s.slots) {
			i := next
			if order != nil {
				i = order[next]
			}
			next++
			if s.kind.Types[i].Foreign {
				continue
			}
			if c := s.current(i); c != nil {
				out = append(out, *c)
				return true
			}
		}
		return false
	}
	hint := 0
	for i := range s.stored {
		t, owned := s.owns(i, hint)
		if t >= 0 {
			hint = min(t+1, len(s.slots)-1)
		}
		switch {
		case owned:
			take()
		case t < 0 && s.retires(i):
		default:
			out = append(out, s.stored[i])
		}
	}
	for take() {
	}
	return out
}

// order is the order of the types in the list; nil where it is the declared one.
func (s *session) order() []int {
	if s.kind.Dialect != CAPIv1beta2 {
		return nil
	}
	order := make([]int, len(s.slots))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareCAPIv1beta2(s.kind.Types[a].Name, s.kind.Types[b].Name) })
	return order
}

// owned are the owned entries of a list, without copying where they stand together.
func (s *session) owned(list []Condition) []Condition {
	first, last, n, hint := -1, -1, 0, 0
	for i := range list {
		t := s.kind.find(list[i].Type, hint)
		if t < 0 {
			continue
		}
		hint = min(t+1, len(s.slots)-1)
		if s.kind.Types[t].Foreign {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		n++
	}
	if n == 0 {
		return nil
	}
	if n == last-first+1 {
		return list[first : last+1 : last+1]
	}
	out := make([]Condition, 0, n)
	for i := first; i <= last; i++ {
		if t := s.kind.find(list[i].Type, 0); t >= 0 && !s.kind.Types[t].Foreign {
			out = append(out, list[i])
		}
	}
	return out
}

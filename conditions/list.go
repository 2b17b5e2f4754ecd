// SPDX-License-Identifier: Apache-2.0

package conditions

import "slices"

// list builds the new list: the places held by owned entries take the owned entries in declared order, entries of
// others keep theirs, new ones come last. A dialect may have an order of its own.
func (s *session) list() []Condition {
	n := len(s.stored) - s.owned
	for i := range s.slots {
		if !s.kind.Types[i].Foreign && s.current(i) != nil {
			n++
		}
	}
	out := make([]Condition, 0, n)
	var order []int
	if s.rules.Compare != nil {
		order = s.order()
	}
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
	for i := range s.stored {
		switch t := s.types[i]; {
		case t >= 0 && !s.kind.Types[t].Foreign:
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

// order is the order of the types in the list of a dialect that has one.
func (s *session) order() []int {
	order := make([]int, len(s.slots))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return s.rules.Compare(s.kind.Types[a].Name, s.kind.Types[b].Name) })
	return order
}

// owned are the entries of a list that the kind owns, retired ones aside; they are not copied where they stand together.
func (k *Kind) owned(list []Condition) []Condition {
	first, end, count, hint := 0, 0, 0, 0
	for i := range list {
		if t := k.find(list[i].Type, hint); t >= 0 {
			if hint = t + 1; !k.Types[t].Foreign {
				if count == 0 {
					first = i
				}
				end = i + 1
				count++
			}
		}
	}
	if count == end-first {
		return list[first:end:end]
	}
	out := make([]Condition, 0, count)
	for i := first; i < end; i++ {
		if t := k.find(list[i].Type, 0); t >= 0 && !k.Types[t].Foreign {
			out = append(out, list[i])
		}
	}
	return out
}

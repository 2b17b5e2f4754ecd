// SPDX-License-Identifier: Apache-2.0

package conditions

// list builds the new list: the places held by owned entries take the owned entries in declared order, entries of
// others keep theirs, new ones come last.
func (s *session) list() []Condition {
	n := len(s.stored) - s.owned
	for i := range s.slots {
		if !s.kind.Types[i].Foreign && s.current(i) != nil {
			n++
		}
	}
	out := make([]Condition, 0, n)
	next := 0
	take := func() bool {
		for next < len(s.slots) {
			i := next
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

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// sortKey stands for a rated input while a fleet is sorted. It has no pointers, which makes it cheap to move, and mostly decides without a look
// at the input.
type sortKey struct {
	key uint64 // weight and severity, and behind them the first bytes in which the texts differ
	at  int32
}

// fewRated is up to how many inputs are sorted as they are.
const fewRated = 16

// sortFleet sorts the rated inputs by byAggregateOrder.
func (m *merger) sortFleet() {
	text := m.distinct()
	prefix := commonPrefix(m.rated, text)
	keys := slices.Grow(m.keys[:0], len(m.rated))
	for i, r := range m.rated {
		var bytes [8]byte
		bytes[0] = byte(r.weight)<<2 | r.rank
		copy(bytes[1:], text(r)[prefix:])
		keys = append(keys, sortKey{binary.BigEndian.Uint64(bytes[:]), int32(i)})
	}
	list := m.rated
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return byAggregateOrder(list[a.at], list[b.at])
	})
	for i := range keys { // each cycle of the permutation in place
		first := list[i]
		for at := i; keys[at].at >= 0; {
			from := int(keys[at].at)
			keys[at].at = -1
			if from == i {
				list[at] = first
				break
			}
			list[at] = list[from]
			at = from
		}
	}
	m.keys = keys
}

// distinct returns the first part of byText, after weight and severity, that is not the same in all inputs.
func (m *merger) distinct() func(*rated) string {
	first := m.rated[0]
	differ := func(text func(*rated) string) bool {
		return slices.ContainsFunc(m.rated, func(r *rated) bool { return text(r) != text(first) })
	}
	name := func(r *rated) string { return r.in.Type }
	switch {
	case differ(name):
		return name
	case differ((*rated).reason):
		return (*rated).reason
	}
	return (*rated).message
}

// commonPrefix is how many bytes all texts have in common at the beginning.
func commonPrefix(list []*rated, text func(*rated) string) int {
	common := text(list[0])
	for _, r := range list[1:] {
		s := text(r)
		n := min(len(common), len(s))
		if s[:n] == common[:n] {
			common = common[:n]
			continue
		}
		i := 0
		for s[i] == common[i] {
			i++
		}
		common = common[:i]
	}
	return len(common)
}

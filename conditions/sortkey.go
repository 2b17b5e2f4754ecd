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

// fewItems is up to how many inputs are sorted as they are.
const fewItems = 16

// sortFleet sorts the rated inputs by byAggregateOrder.
func (m *merger) sortFleet() {
	text := m.distinct()
	prefix := commonPrefix(m.items, text)
	keys := slices.Grow(m.keys[:0], len(m.items))
	for i, r := range m.items {
		var bytes [8]byte
		bytes[0] = byte(r.weight)<<2 | r.rank
		copy(bytes[1:], text(r)[prefix:])
		keys = append(keys, sortKey{binary.BigEndian.Uint64(bytes[:]), int32(i)})
	}
	list := m.items
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
func (m *merger) distinct() func(*mergeItem) string {
	first := m.items[0]
	differ := func(text func(*mergeItem) string) bool {
		return slices.ContainsFunc(m.items, func(r *mergeItem) bool { return text(r) != text(first) })
	}
	name := func(r *mergeItem) string { return r.in.Type }
	switch {
	case differ(name):
		return name
	case differ((*mergeItem).reason):
		return (*mergeItem).reason
	}
	return (*mergeItem).message
}

// commonPrefix is how many bytes all texts have in common at the beginning.
func commonPrefix(list []*mergeItem, text func(*mergeItem) string) int {
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

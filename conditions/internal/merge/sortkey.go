// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// fewItems is up to how many inputs are sorted as they are.
const fewItems = 16

// sortFleet sorts the items by byAggregateOrder. It sorts numbers, which are cheap to move and to compare: the weight and the severity of
// an item, the first bits in which its text differs from others, and its position.
func (m *Merger) sortFleet() {
	n := len(m.items)
	text := m.distinct()
	prefix := commonPrefix(m.items, text)
	position := bits.Len(uint(n)) // bits of a position
	m.keys = slices.Grow(m.keys[:0], n)
	for i, r := range m.items {
		var bytes [8]byte
		copy(bytes[:], text(r)[prefix:])
		key := uint64(r.Weight)<<62 | uint64(r.Rank)<<60 | binary.BigEndian.Uint64(bytes[:])>>4
		m.keys = append(m.keys, key>>position<<position|uint64(i))
	}
	slices.Sort(m.keys)
	list := slices.Grow(m.spare[:0], n)
	for _, key := range m.keys {
		list = append(list, m.items[key&(1<<position-1)])
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && m.keys[to]>>position == m.keys[from]>>position {
			to++
		}
		if to > from+1 {
			slices.SortFunc(list[from:to], byAggregateOrder)
		}
		from = to
	}
	clear(m.items)
	m.items, m.spare = list, m.items[:0]
}

// distinct returns the first part of byText, after weight and severity, that is not the same in all items.
func (m *Merger) distinct() func(*Item) string {
	first := m.items[0]
	differ := func(text func(*Item) string) bool {
		return slices.ContainsFunc(m.items, func(r *Item) bool { return text(r) != text(first) })
	}
	name := func(r *Item) string { return r.Type }
	switch {
	case differ(name):
		return name
	case differ((*Item).Reason):
		return (*Item).Reason
	}
	return (*Item).Message
}

// commonPrefix returns how many bytes all texts have in common at the beginning.
func commonPrefix(list []*Item, text func(*Item) string) int {
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

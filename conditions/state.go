// SPDX-License-Identifier: Apache-2.0

package conditions

import "time"

// State is the memory of an object from one pass to the next, which dwell needs for facts of unknown age. The zero value is
// ready for use. If it is lost (a restart), waiting starts again.
type State struct{ pending map[string]pending }

// SetState sets the state of the object. It belongs to the caller, one per object, and must not be used by two passes at a
// time. A pass over nil has none.
func (p *Pass) SetState(s *State) {
	if r := p.open("SetState", ""); r != nil {
		r.state = s
	}
}

// pending is a change that waits: for the better, or for the worse, from False or from Unknown alike.
type pending struct {
	better bool
	first  time.Time
}

// since remembers when a change was first seen, or the time given by a fact if that is earlier. Without either there is nothing
// to wait from, so that the change is published at once.
func (m *State) since(conditionType string, better bool, given, now time.Time) time.Time {
	if m == nil {
		return given
	}
	if given.IsZero() {
		given = now
	}
	if p, ok := m.pending[conditionType]; ok && p.better == better && !given.Before(p.first) {
		return p.first
	}
	if m.pending == nil {
		m.pending = map[string]pending{}
	}
	m.pending[conditionType] = pending{better: better, first: given}
	return given
}

// forget drops the pending change of a type.
func (m *State) forget(conditionType string) {
	if m != nil {
		delete(m.pending, conditionType)
	}
}

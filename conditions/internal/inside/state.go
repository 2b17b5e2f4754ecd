// SPDX-License-Identifier: Apache-2.0

package inside

import "time"

// State is what rollup.State holds.
type State struct{ pending map[string]pending }

// pending is a change that waits: for the better, or for the worse, from False or from Unknown alike.
type pending struct {
	better bool
	since  time.Time
}

// Since remembers when a change was first seen, or the time given by a fact if that is earlier. Without either there is nothing
// to wait from, so that the change is published at once.
func (m *State) Since(conditionType string, better bool, given, now time.Time) time.Time {
	if m == nil {
		return given
	}
	if given.IsZero() {
		given = now
	}
	if p, ok := m.pending[conditionType]; ok && p.better == better && !given.Before(p.since) {
		return p.since
	}
	if m.pending == nil {
		m.pending = map[string]pending{}
	}
	m.pending[conditionType] = pending{better: better, since: given}
	return given
}

// Forget drops the pending change of a type.
func (m *State) Forget(conditionType string) {
	if m != nil {
		delete(m.pending, conditionType)
	}
}

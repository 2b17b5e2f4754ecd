// SPDX-License-Identifier: Apache-2.0

package conditions

import "time"

// State holds the knowledge of dwell and churn about an object from one pass to the next. The zero value is ready for use.
// Losing it (a restart) starts waiting and counting anew.
type State struct {
	pending map[string]pending
	texts   map[string][]time.Time // when a message alone was written, by type; oldest first
}

// pending is a change that waits: for the better, or for the worse, from False or from Unknown alike.
type pending struct {
	better bool
	since  time.Time
}

// dwells reports whether the stored status is still published, because the change has not lasted long enough.
func (s *session) dwells(i int, old *Condition) bool {
	slot, t := &s.slots[i], &s.kind.Types[i]
	if t.GoBadAfter == 0 && t.RecoverAfter == 0 {
		return false
	}
	f := &slot.fact
	healthy := statusOf(weightHealthy, t.Polarity)
	wait := t.RecoverAfter
	if old.Status == healthy {
		wait = t.GoBadAfter
	}
	if f.Status == old.Status || old.Status != healthy && f.Status != healthy || wait <= 0 {
		s.state.forget(t.Name)
		return false
	}
	since := s.state.since(t.Name, f.Status == healthy, s.past(f.LastTransitionTime.Time), s.now.Time)
	if due := since.Add(wait); s.now.Time.Before(due) {
		s.requeue(due)
		return true
	}
	s.state.forget(t.Name)
	return false
}

// past is a time that is not in the future: a fact that holds since tomorrow would wait until then.
func (s *session) past(t time.Time) time.Time {
	if t.After(s.now.Time) {
		return s.now.Time
	}
	return t
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
	if p, ok := m.pending[conditionType]; ok && p.better == better && !given.Before(p.since) {
		return p.since
	}
	if m.pending == nil {
		m.pending = map[string]pending{}
	}
	m.pending[conditionType] = pending{better: better, since: given}
	return given
}

func (m *State) forget(conditionType string) {
	if m != nil {
		delete(m.pending, conditionType)
	}
}

// churns counts a write of which only the message is new, and reports whether it is held back.
func (s *session) churns(i int, next, old *Condition) bool {
	rule := s.kind.Churn
	if rule == nil || s.state == nil || rule.Writes <= 0 {
		return false
	}
	same := *next
	if same.Message = old.Message; same != *old {
		return false
	}
	name := next.Type
	writes := s.state.texts[name]
	for len(writes) > 0 && !s.now.Time.Before(writes[0].Add(rule.Window)) {
		writes = writes[1:]
	}
	full := len(writes) >= rule.Writes
	if full {
		s.churning = append(s.churning, name)
		if rule.Hold {
			s.requeue(writes[0].Add(rule.Window))
		} else {
			writes = writes[1:]
		}
	}
	if !full || !rule.Hold {
		writes = append(writes, s.now.Time)
	}
	if s.state.texts == nil {
		s.state.texts = map[string][]time.Time{}
	}
	s.state.texts[name] = writes
	return full && rule.Hold
}

// requeue asks for another pass at the time, or earlier.
func (s *session) requeue(at time.Time) {
	if s.requeueAt.IsZero() || at.Before(s.requeueAt) {
		s.requeueAt = at
	}
}

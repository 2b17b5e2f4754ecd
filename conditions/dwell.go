// SPDX-License-Identifier: Apache-2.0

package conditions

import "time"

// dwells reports whether the stored status is still published, because the change has not lasted long enough.
func (s *session) dwells(i int, old *Condition) bool {
	slot, t := &s.slots[i], &s.kind.Types[i]
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

// requeue asks for another pass at the time, or earlier.
func (s *session) requeue(at time.Time) {
	if s.requeueAt.IsZero() || at.Before(s.requeueAt) {
		s.requeueAt = at
	}
}

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"errors"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
)

// present reports whether a condition of the status is in the list.
func present(p Presence, s Status, stored bool) bool {
	switch p {
	case PresenceWhenTrue:
		return s == True
	case PresenceWhenKnown:
		return s != Unknown
	case PresenceOnceTrue:
		return stored || s == True
	}
	return true
}

// remove takes the type out of the list, unless a newer observer wrote it.
func (s *session) remove(i int) {
	slot := &s.slots[i]
	slot.outcome = absent
	if s.newer(i) {
		slot.outcome, slot.superseded = kept, true
	}
}

// newer reports whether the stored entry was observed at a newer generation than this pass reconciles.
func (s *session) newer(i int) bool {
	old := s.old(i)
	return old != nil && s.observedLater(old)
}

func (s *session) observedLater(c *Condition) bool {
	return !s.rules.NoGenerations && c.ObservedGeneration > s.generation
}

// publish decides what becomes of the fact of a type: presence, superseding, dwell, comparison with the stored entry, stamp.
func (s *session) publish(i int) {
	slot, t, old := &s.slots[i], &s.kind.Types[i], s.old(i)
	f := &slot.fact
	if f.cell < len(t.Reasons) && t.Reasons[f.cell].timed() {
		if s.expire(i); f.cell < len(t.Reasons) && t.Reasons[f.cell].Retry > 0 {
			s.requeue(s.now.Add(t.Reasons[f.cell].Retry))
		}
	}
	generation := s.generation
	if s.rules.NoGenerations {
		generation = 0
	}
	if old != nil && old.ObservedGeneration == generation && says(&f.Condition.Condition, &old.Condition) && old.Severity == s.onWire(t, f) &&
		old.Type == t.Name &&
		!old.LastTransitionTime.IsZero() && !s.ahead(old) && present(t.Presence, old.Status, true) {
		slot.outcome = kept // and this is all that happens in a steady pass
		s.state.forget(t.Name)
		return
	}
	if old != nil && s.observedLater(old) {
		slot.outcome, slot.superseded = kept, true
		s.dropCauses(i)
		return
	}
	final := old != nil && t.Lifecycle.final(old.Status, f.Status)
	if final || old != nil && max(t.GoBadAfter, t.RecoverAfter) > 0 && s.dwells(i, old) {
		f.Status, f.Reason, f.Message, f.Severity = old.Status, old.Reason, old.Message, old.Severity
		s.dropCauses(i)
	}
	if !final && !present(t.Presence, f.Status, old != nil) {
		s.remove(i)
		return
	}
	next := s.entry(i)
	next.Type, next.Status, next.Severity = t.Name, f.Status, s.onWire(t, f)
	next.Reason, next.ObservedGeneration, next.LastTransitionTime = f.Reason, generation, s.now
	s.finish(i, f.Message)
}

// onWire is the severity that is written with a fact.
func (s *session) onWire(t *Type, f *fact) Severity {
	if s.rules.DefaultSeverity == "" || !t.Polarity.Bad(f.Status) {
		return SeverityNone
	}
	return cmp.Or(f.Severity, Severity(s.rules.DefaultSeverity))
}

// finish sets message and time of the new entry of a type, and makes it one that the API server accepts.
func (s *session) finish(i int, message string) {
	slot, old, next := &s.slots[i], s.old(i), s.entry(i)
	limit := merge.MaxMessage
	if s.rules.Limits != nil {
		limit = s.rules.Limits.Message
	}
	next.Message = merge.Cut(message, limit)
	if old != nil {
		if old.Status == next.Status && !old.LastTransitionTime.IsZero() && !s.ahead(old) {
			next.LastTransitionTime = old.LastTransitionTime
			if old.LastTransitionTime.Nanosecond() != 0 {
				next.LastTransitionTime.Time = old.LastTransitionTime.Truncate(time.Second)
			}
		}
		next.LastTransitionTime.Time = keepTime(next.LastTransitionTime.Time, old)
		if *next == *old {
			slot.outcome = kept
			return
		}
	}
	slot.outcome = written
	if errs := s.refused(next); len(errs) > 0 {
		s.repairInvalid(i, errs)
		if old != nil && *next == *old {
			slot.outcome = kept
		}
	}
}

// refused returns what the API server would refuse.
func (s *session) refused(c *Condition) []error {
	return merge.ValidCondition(&c.Condition, s.rules.Limits, s.rules.BareReason)
}

// maxClockSkew is how far ahead of the clock of a pass a stored lastTransitionTime may be. A time that is further
// ahead is wrong and would stay until then; it becomes the time of the pass.
const maxClockSkew = time.Minute

// ahead reports whether the time of a stored condition is in the future.
func (s *session) ahead(old *Condition) bool {
	return old.LastTransitionTime.Unix() > s.now.Unix()+int64(maxClockSkew/time.Second)
}

// keepTime returns the stored time if both are the same instant, so that a different time.Location does not count as a
// change.
func keepTime(t time.Time, old *Condition) time.Time {
	if t.Equal(old.LastTransitionTime.Time) {
		return old.LastTransitionTime.Time
	}
	return t
}

// repairInvalid makes a condition that the API server would refuse one that it accepts, or leaves it out where the
// declared type itself is refused.
func (s *session) repairInvalid(i int, errs []error) {
	slot, t := &s.slots[i], &s.kind.Types[i]
	for _, err := range errs {
		s.fail(errors.New(s.kind.Kind + ": " + err.Error()))
	}
	next := s.entry(i)
	if !merge.ValidStatus(next.Status) { // as it was stored
		next.Status = Unknown
	}
	if s.rules.Limits != nil {
		next.Reason = merge.Cut(next.Reason, s.rules.Limits.Reason)
	} else {
		next.ObservedGeneration = max(0, next.ObservedGeneration)
		if !merge.ValidReason(next.Reason) {
			next.Reason = fallbackReason(t, next.Status, reasonUndeclared)
		}
		if !merge.ValidReason(next.Reason) {
			next.Reason = reasonUndeclared
		}
	}
	if !merge.ValidTime(next.LastTransitionTime.Time) {
		next.LastTransitionTime.Time = time.Unix(0, 0).UTC()
	}
	if len(s.refused(next)) > 0 {
		slot.outcome = absent
	}
}

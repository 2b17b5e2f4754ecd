// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// Decide returns whether the wait is over. It changes nothing and may be called at any time.
func (m *Machine) Decide(now time.Time) Decision {
	for len(m.due) > 0 && !m.due[0].at.After(now) {
		m.settle(m.due[0], now)
	}
	s := m.survey()
	d := Decision{Total: len(m.entries), Needed: m.goal.needed(len(m.entries)), Met: m.counts[Met], Failed: m.counts[Failed]}
	if d.Met >= d.Needed && (m.goal.Count > 0 || s.unread+s.empty+s.forbidden == 0) {
		d.Outcome = Reached
		return d
	}
	if d.Outcome, d.Why = m.lost(s, d); d.Outcome != Waiting {
		return d
	}
	if d.Outcome, d.Why = m.expired(s, now); d.Outcome != Waiting {
		return d
	}
	if len(m.due) > 0 {
		d.Next = m.due[0].at
	}
	if m.goal.Once {
		return d
	}
	if m.goal.Timeout > 0 {
		d.Next = relation.Earliest(d.Next, m.start.Add(m.goal.Timeout))
	}
	if m.goal.NoProgress > 0 && m.idle(s) {
		d.Next = relation.Earliest(d.Next, m.progress.Add(m.goal.NoProgress))
	}
	return d
}

// survey counts targets.
type survey struct {
	open      int // selectors
	loading   int // the first answer is not in
	unread    int // they were never read
	empty     int // selectors that find nothing though objects are awaited
	forbidden int // selectors that may not be read
	trouble   int // targets that cannot be read now, with objects that are not met
	why       string
	since     time.Time // of the oldest trouble of a target that was read before; zero: none was
}

func (m *Machine) survey() survey {
	var s survey
	for i := range m.targets {
		t := &m.targets[i]
		if t.open {
			s.open++
		}
		if t.serving == Trouble && (t.open || m.unmet(Target(i))) {
			if s.trouble++; s.why == "" {
				s.why = t.why
			}
			if t.loaded && (s.since.IsZero() || t.since.Before(s.since)) {
				s.why, s.since = t.why, t.since
			}
		}
		switch {
		case t.serving == Loading:
			s.loading++
			s.unread++
		case t.serving == Trouble && !t.loaded:
			s.unread++
		case t.open && t.serving == Forbidden:
			s.forbidden++
		case t.open && t.members == 0 && !m.goal.Gone:
			s.empty++
		}
	}
	return s
}

// unmet reports whether the object of a target that is one object is not met.
func (m *Machine) unmet(t Target) bool {
	e := m.entries[id{t, m.targets[t].name}]
	return e != nil && e.State != Met
}

// lost reports whether the goal cannot be reached any more. It waits for the first answers, so that a report is complete.
func (m *Machine) lost(s survey, d Decision) (Outcome, string) {
	if s.loading > 0 {
		return Waiting, ""
	}
	gone := m.counts[Failed] + m.counts[Late] + m.counts[Replaced]
	open := m.goal.Count > 0 && s.open > s.forbidden // more objects may come
	moving := m.counts[Pending] + m.counts[Steadying] + m.counts[Failing] + m.counts[Missing] + m.counts[Unknown]
	if (open || d.Total-gone >= d.Needed) && (open || moving+s.unread+s.empty > 0) {
		return Waiting, ""
	}
	switch {
	case m.counts[Failed] > 0:
		return Broken, m.share(Failed, "has failed", "have failed")
	case m.counts[Replaced] > 0:
		return Superseded, m.share(Replaced, "was changed", "were changed")
	case m.counts[Late] > 0:
		return TimedOut, m.share(Late, "took", "took") + " longer than " + m.goal.ObjectTimeout.String()
	}
	return Unknowable, "the remaining objects may not be read"
}

// expired reports whether the time is up.
func (m *Machine) expired(s survey, now time.Time) (Outcome, string) {
	var by Outcome
	var why string
	switch {
	case m.goal.Once && s.loading == 0:
		by, why = TimedOut, "not yet"
	case m.goal.Once:
		return Waiting, ""
	case m.goal.Timeout > 0 && !now.Before(m.start.Add(m.goal.Timeout)):
		by = TimedOut
	case m.goal.NoProgress > 0 && m.idle(s) && !now.Before(m.progress.Add(m.goal.NoProgress)):
		by, why = Stuck, "nothing has changed for "+m.goal.NoProgress.String()
	default:
		return Waiting, ""
	}
	c := m.counts
	switch {
	case c[Failed] > 0:
		return Broken, m.share(Failed, "has failed", "have failed")
	case s.trouble > 0 && s.since.IsZero():
		return Unreachable, s.why
	case s.trouble > 0:
		return Unreachable, "not seen for " + now.Sub(s.since).Round(time.Second).String() + ": " + s.why
	case s.loading > 0 && s.loading == len(m.targets):
		return Unreachable, "the server has not answered"
	case c[Late]+c[Pending]+c[Steadying]+c[Failing]+s.loading > 0:
		return by, why
	case c[Unknown]+c[Hidden]+s.forbidden+s.unread > 0:
		return Unknowable, "nothing is known of the remaining objects"
	case c[Missing]+s.empty > 0:
		return NotFound, "the remaining objects do not exist"
	}
	return by, why
}

// idle reports whether only a change of an object can end the wait.
func (m *Machine) idle(s survey) bool {
	return s.loading == 0 && m.counts[Steadying]+m.counts[Failing] == 0
}

// share returns "1 of 3 objects has failed".
func (m *Machine) share(s State, one, many string) string {
	n, verb := m.counts[s], many
	if n == 1 {
		verb = one
	}
	return fmt.Sprintf("%d of %d %s", n, len(m.entries), verb)
}

// Goal is when a wait is over. The zero value waits for all objects, for ever. Durations that are zero are not in force.
type Goal struct {
	// Count is how many objects must be met; zero means all. Percent, from 1 to 100, is the same as a share of those
	// known, rounded up.
	Count, Percent int
	// StableFor is how long an object must stay as it should be.
	StableFor time.Duration
	// Timeout ends the wait, counted from its start; ObjectTimeout ends it for one object, counted from when it was first
	// observed.
	Timeout, ObjectTimeout time.Duration
	// NoProgress ends the wait when none of the objects has changed for so long.
	NoProgress time.Duration
	// Superseded ends the wait when the generation of a needed object moves on from the first one that was seen: its spec was changed, and the
	// change that is awaited is not the last one any more. A new object of the same name is none of that, unless its generation is higher.
	Superseded bool
	// Once looks at the objects a single time: the wait ends when all that exist are known, without regard to durations.
	Once bool
	// Gone makes a selector that finds nothing count as met.
	Gone bool
}

// ParseCount reads how many objects are needed: a positive number, or a percentage from 1% to 100%.
func ParseCount(text string) (count, percent int, err error) {
	number, isPercent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || isPercent && n > 100 {
		return 0, 0, fmt.Errorf("%q is neither a number of objects nor a percentage: write 3 or 80%%", text)
	}
	if isPercent {
		return 0, n, nil
	}
	return n, 0, nil
}

// needed returns how many of total objects must be met.
func (g Goal) needed(total int) int {
	switch {
	case g.Count > 0:
		return g.Count
	case g.Percent > 0:
		return (total*g.Percent + 99) / 100
	}
	return total
}

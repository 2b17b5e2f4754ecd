// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
)

// Timeline is the history of one object's conditions. The zero value is empty and ready for use.
//
// Its assertions name cells as Type=Status, Type=Status/Reason, or Type=Absent. A cell that is written wrong fails the test, so
// that no assertion holds because of a slip of the pen.
type Timeline struct {
	moments []moment
}

type moment struct {
	at   time.Time
	list []conditions.Condition
}

// Observe adds the conditions of an object at a time. Times must not go back.
func (l *Timeline) Observe(at time.Time, list []conditions.Condition) {
	l.moments = append(l.moments, moment{at, slices.Clone(list)})
}

// String returns one line per type, in order of first appearance. A line has the changes of status and reason with
// the time since the first observation, as in "Ready U(Pending)0s F(Creating)5s T(Reconciled)40s". A dash means
// absent, a question mark an invalid status.
func (l *Timeline) String() string {
	var types []string
	for _, m := range l.moments {
		for _, c := range m.list {
			if !slices.Contains(types, c.Type) {
				types = append(types, c.Type)
			}
		}
	}
	var b strings.Builder
	for _, name := range types {
		b.WriteString(name)
		last := "-"
		for _, m := range l.moments {
			now := "-"
			if i := conditions.Find(m.list, name); i >= 0 {
				now = "?"
				if wire.ValidStatus(m.list[i].Status) {
					now = string(m.list[i].Status[:1])
				}
				if m.list[i].Reason != "" {
					now += "(" + m.list[i].Reason + ")"
				}
			}
			if now != last {
				fmt.Fprintf(&b, " %s%s", now, m.at.Sub(l.moments[0].at))
				last = now
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Never fails when a cell was seen before another one had been: Never(t, "Ready=True", "Compiled=True"). Seen at the same
// moment is in order.
func (l *Timeline) Never(t testing.TB, this, before string) {
	t.Helper()
	first, second, ok := parse2(t, this, before)
	for i := 0; ok && i < len(l.moments); i++ {
		m := l.moments[i]
		if second.in(m) {
			return
		}
		if first.in(m) {
			t.Errorf("%s was seen at %s, before %s\n%s", this, m.at.Sub(l.moments[0].at), before, l)
			return
		}
	}
}

// Whenever fails when a cell was seen without another one at the same moment: Whenever(t, "Stalled=True", "Ready=False").
func (l *Timeline) Whenever(t testing.TB, this, also string) {
	t.Helper()
	first, second, ok := parse2(t, this, also)
	for i := 0; ok && i < len(l.moments); i++ {
		if m := l.moments[i]; first.in(m) && !second.in(m) {
			t.Errorf("%s was seen at %s without %s\n%s", this, m.at.Sub(l.moments[0].at), also, l)
			return
		}
	}
}

// Entered fails unless a cell was entered exactly n times: Entered(t, "Ready=True", 1) means that it did not flap, and 0 that
// it never came.
func (l *Timeline) Entered(t testing.TB, this string, n int) {
	t.Helper()
	cell, ok := parse(t, this)
	if !ok {
		return
	}
	got, was := 0, false
	for _, m := range l.moments {
		is := cell.in(m)
		if is && !was {
			got++
		}
		was = is
	}
	if got != n {
		t.Errorf("%s was entered %d times, want %d\n%s", this, got, n, l)
	}
}

// Within fails unless a cell had been seen when so much time had passed since the first observation.
func (l *Timeline) Within(t testing.TB, this string, d time.Duration) {
	t.Helper()
	cell, ok := parse(t, this)
	if !ok {
		return
	}
	for _, m := range l.moments {
		if cell.in(m) {
			if after := m.at.Sub(l.moments[0].at); after > d {
				t.Errorf("%s was seen after %s, want %s\n%s", this, after, d, l)
			}
			return
		}
	}
	t.Errorf("%s was never seen\n%s", this, l)
}

// wanted is a parsed cell; reason "" is any.
type wanted struct{ name, status, reason string }

func parse(t testing.TB, text string) (wanted, bool) {
	t.Helper()
	name, rest, _ := strings.Cut(text, "=")
	status, reason, withReason := strings.Cut(rest, "/")
	if name == "" || status != "Absent" && !wire.ValidStatus(conditions.Status(status)) || withReason &&
		(reason == "" || status == "Absent") {
		t.Errorf("%q is not a cell: want Type=Status, Type=Status/Reason or Type=Absent", text)
		return wanted{}, false
	}
	return wanted{name, status, reason}, true
}

func parse2(t testing.TB, a, b string) (wanted, wanted, bool) {
	t.Helper()
	first, ok := parse(t, a)
	second, also := parse(t, b)
	return first, second, ok && also
}

func (w wanted) in(m moment) bool {
	i := conditions.Find(m.list, w.name)
	if i < 0 {
		return w.status == "Absent"
	}
	return string(m.list[i].Status) == w.status && (w.reason == "" || m.list[i].Reason == w.reason)
}

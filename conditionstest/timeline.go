// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
)

// Timeline is the history of one object's conditions. The zero value is empty and ready for use.
type Timeline struct {
	moments []moment
}

type moment struct {
	at   time.Time
	list []conditions.Condition
}

// Observe adds what an object says at a time. Times must not go back.
func (l *Timeline) Observe(at time.Time, list []conditions.Condition) {
	l.moments = append(l.moments, moment{at, slices.Clone(list)})
}

// String gives a line a type, in order of first appearance: its changes of status and reason with the time since the first
// observation, as in "Ready U(Pending)0s F(Creating)5s T(Reconciled)40s"; a dash stands for absent.
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
				now = string(m.list[i].Status[:1])
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

// Never fails when a cell was seen before another one had been: Never(t, "Ready=True", "Compiled=True"). Cells are
// Type=Status, or Type=Status/Reason. Seen at the same moment is in order.
func (l *Timeline) Never(t testing.TB, this, before string) {
	t.Helper()
	for _, m := range l.moments {
		if m.has(before) {
			return
		}
		if m.has(this) {
			t.Errorf("%s was seen at %s, before %s\n%s", this, m.at.Sub(l.moments[0].at), before, l)
			return
		}
	}
}

// Entered fails unless a cell was entered exactly n times: Entered(t, "Ready=True", 1) means that it did not flap.
func (l *Timeline) Entered(t testing.TB, this string, n int) {
	t.Helper()
	got, was := 0, false
	for _, m := range l.moments {
		is := m.has(this)
		if is && !was {
			got++
		}
		was = is
	}
	if got != n {
		t.Errorf("%s was entered %d times, want %d\n%s", this, got, n, l)
	}
}

func (m moment) has(cell string) bool {
	name, rest, _ := strings.Cut(cell, "=")
	status, reason, withReason := strings.Cut(rest, "/")
	i := conditions.Find(m.list, name)
	return i >= 0 && string(m.list[i].Status) == status && (!withReason || m.list[i].Reason == reason)
}

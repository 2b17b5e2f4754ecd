// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/internal/cli/app"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/render"
)

// Staleness records since when some of the followed queries cannot be read, because the server does not answer. Objects that were read
// before are still shown, and may be out of date.
type Staleness struct {
	queries map[int]bool // that cannot be read now
	since   time.Time    // of the first of them; zero: everything is up to date
	why     string
	read    bool // something was read before
	changed bool // since it was last reported
}

// Take records the state of a query.
func (s *Staleness) Take(query int, state cluster.Reason, why string, now time.Time) {
	if state != cluster.Unreachable {
		delete(s.queries, query)
		s.read = true
		if len(s.queries) == 0 && !s.since.IsZero() {
			s.since, s.changed = time.Time{}, true
		}
		return
	}
	if s.queries == nil {
		s.queries = map[int]bool{}
	}
	s.queries[query] = true
	if s.since.IsZero() {
		s.since, s.why, s.changed = now, why, true
	}
}

// Line returns a line for people about an answer that is out of date: since when and why, and in a line that is drawn again and again for
// how long. It is empty if the answer is up to date.
func (s *Staleness) Line(now time.Time, drawn bool) string {
	if s.since.IsZero() {
		return ""
	}
	state, age := "out of date since", ""
	if !s.read {
		state = "nothing could be read since"
	}
	if drawn {
		age = fmt.Sprintf(" (%s)", render.Seconds(now.Sub(s.since)))
	}
	return fmt.Sprintf("%s %s%s: %s; trying again", state, s.since.Format("15:04:05"), age, render.Line(s.why))
}

// Stamp sets since when items are out of date, if they are.
func (s *Staleness) Stamp(items []render.Item) []render.Item {
	if s.since.IsZero() {
		return items
	}
	since := s.since.UTC()
	for i := range items {
		items[i].StaleSince = &since
	}
	return items
}

// Report reports once that answers are out of date, or up to date again: on standard error, and as a line of an output of JSON lines.
func (s *Staleness) Report(a *app.App, jsonLines bool) error {
	if !s.changed {
		return nil
	}
	s.changed = false
	text := s.Line(a.Now(), false)
	if text == "" {
		text = "up to date again"
	}
	a.Reportf("%s", text)
	if !jsonLines {
		return nil
	}
	var out *render.Staleness // nil: up to date
	if !s.since.IsZero() {
		out = &render.Staleness{Since: s.since.UTC(), Message: s.why}
	}
	return render.JSONLStale(a.Out, out)
}

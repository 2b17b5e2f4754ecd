// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/internal/cluster/follow"
	"github.com/tristate/tristate/internal/render"
)

// stale records since when a part of what is followed cannot be read, because the server is away. What was read before is shown still, and
// may be out of date.
type stale struct {
	queries map[int]bool // that cannot be read now
	since   time.Time    // of the first of them; zero: everything is up to date
	why     string
	read    bool // something was read before
	changed bool // since it was last reported
}

// take records the state of a query.
func (s *stale) take(query int, state follow.State, why string, now time.Time) {
	if state != follow.Trouble {
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

// line says for people since when what they see is out of date; empty where it is not. On a terminal, where it is drawn again and again, it
// says for how long too.
func (s *stale) line(now time.Time, drawn bool) string {
	if s.since.IsZero() {
		return ""
	}
	what, age := "out of date since", ""
	if !s.read {
		what = "nothing could be read since"
	}
	if drawn {
		age = fmt.Sprintf(" (%s)", seconds(now.Sub(s.since)))
	}
	return fmt.Sprintf("%s %s%s: %s; trying again", what, s.since.Format("15:04:05"), age, render.Line(s.why))
}

// staleness is the same for machines, nil where everything is up to date.
func (s *stale) staleness() *render.Staleness {
	if s.since.IsZero() {
		return nil
	}
	return &render.Staleness{Since: s.since.UTC(), Message: s.why}
}

// stamp marks items as out of date.
func (s *stale) stamp(items []render.Item) []render.Item {
	if s.since.IsZero() {
		return items
	}
	since := s.since.UTC()
	for i := range items {
		items[i].StaleSince = &since
	}
	return items
}

// report reports that answers are out of date, or no longer are: on standard error, and as a line of the output where it is JSON lines.
func (s *stale) report(a *App, jsonLines bool) error {
	if !s.changed {
		return nil
	}
	s.changed = false
	text := s.line(a.Now(), false)
	if text == "" {
		text = "up to date again"
	}
	fmt.Fprintf(a.Err, "%s: %s\n", a.Name, text)
	if jsonLines {
		return render.JSONLStale(a.Out, s.staleness())
	}
	return nil
}

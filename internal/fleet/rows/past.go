// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/verdict"
)

// Gaps returns the times in which nothing was watched, as a store has them: between two runs, and while a cluster did not answer.
func Gaps(store *history.Store) []api.Gap {
	var out []api.Gap
	var last, lost time.Time
	store.Scan(func(r history.Record) bool {
		switch r.Kind {
		case history.Run:
			if !last.IsZero() && r.At.Sub(last) > time.Second {
				out = append(out, api.Gap{From: last, To: r.At, Reason: "restarted"})
			}
			lost = time.Time{}
		case history.Lost:
			lost = r.At
		case history.Regained:
			if !lost.IsZero() {
				out = append(out, api.Gap{From: lost, To: r.At, Reason: "unreachable"})
			}
			lost = time.Time{}
		}
		if r.At.After(last) {
			last = r.At
		}
		return true
	})
	return out
}

// within returns the gaps that overlap a time.
func within(gaps []api.Gap, from, to time.Time) []api.Gap {
	return slices.DeleteFunc(gaps, func(g api.Gap) bool { return g.To.Before(from) || g.From.After(to) })
}

// StoreState describes a store for the API; nil without one.
func StoreState(store *history.Store) *api.Store {
	if store == nil {
		return nil
	}
	stats := store.Stats()
	out := &api.Store{Records: stats.Records, Bytes: stats.Bytes, MaxBytes: stats.MaxBytes, OnDisk: stats.OnDisk, Problem: stats.Problem}
	if !stats.Since.IsZero() {
		out.Since = &stats.Since
	}
	return out
}

// laneSource names the sources of records for the API.
func laneSource(s history.Source) string {
	switch s {
	case history.Gap, history.First:
		return "gap"
	case history.Written:
		return "condition"
	case history.Managed:
		return "managedFields"
	}
	return "seen"
}

// classOf returns the class by which a span is coloured.
func classOf(word string) string {
	switch verdict.Status(word) {
	case verdict.Current:
		return "ok"
	case verdict.InProgress, verdict.Terminating:
		return "progress"
	case verdict.Suspended:
		return "suspended"
	case verdict.Degraded, verdict.Failed, verdict.NotFound:
		return "bad"
	}
	return "unknown"
}

// Lanes are the histories of the conditions and the verdict of an object.
type Lanes struct {
	Object relation.ID
	// Judgement is the present, where the object is known; Conditions are those that it has.
	Judgement  *relation.Judgement
	Conditions []api.ConditionRow
	// Unhealthy reports whether a condition with a status is bad, by its polarity; nil: False is.
	Unhealthy func(kind, status string) bool
	// Recorded has the records of conditions, and when it was watched, if not in the store of the verdicts; it may be nil.
	Recorded *history.Store
}

// Of returns the history between two times: what a store has, and before that what the object itself says of when its conditions began.
func (l Lanes) Of(store *history.Store, from, to time.Time) api.History {
	out := api.History{From: from, To: to, Lanes: []api.Lane{}, Store: StoreState(store)}
	records := map[string][]history.Record{}
	var runs []time.Time
	for _, store := range []*history.Store{l.Recorded, store} {
		if store == nil {
			continue
		}
		store.Scan(func(r history.Record) bool {
			switch {
			case r.Kind == history.Run:
				runs = append(runs, r.At)
			case r.Object != l.Object:
			case r.Kind == history.Verdict && store == l.Recorded:
			case r.Kind == history.Verdict:
				records[""] = append(records[""], r)
			case r.Kind == history.Condition:
				records[r.Type] = append(records[r.Type], r)
			}
			return true
		})
		out.Gaps = append(out.Gaps, within(Gaps(store), from, to)...)
	}
	var names []string
	if l.Judgement != nil {
		var since *time.Time
		if !l.Judgement.Since.IsZero() {
			t := l.Judgement.Since.UTC()
			since = &t
		}
		names = append(names, "")
		out.Lanes = append(out.Lanes, l.lane("", records[""], &api.Span{Status: string(l.Judgement.Verdict), Reason: l.Judgement.Reason,
			Message: cut(l.Judgement.Message, maxMessage)}, since, runs, from, to))
	} else if len(records[""]) > 0 {
		names = append(names, "")
		out.Lanes = append(out.Lanes, l.lane("", records[""], nil, nil, runs, from, to))
	}
	for _, c := range l.Conditions {
		names = append(names, c.Type)
		out.Lanes = append(out.Lanes,
			l.lane(c.Type, records[c.Type], &api.Span{Status: c.Status, Reason: c.Reason, Message: cut(c.Message, maxMessage)}, c.Since, runs, from,
				to))
	}
	var gone []string
	for name := range records {
		if !slices.Contains(names, name) {
			gone = append(gone, name)
		}
	}
	slices.Sort(gone)
	for _, name := range gone {
		out.Lanes = append(out.Lanes, l.lane(name, records[name], nil, nil, runs, from, to))
	}
	return out
}

// lane makes one lane. present is the state now; nil if the condition, or the object, is gone.
func (l Lanes) lane(name string, records []history.Record, present *api.Span, since *time.Time, runs []time.Time, from,
	to time.Time) api.Lane {
	lane := api.Lane{Name: cmp.Or(name, "Verdict"), Verdict: name == "", Spans: []api.Span{}}
	// runOf returns when the run began that has a time: nothing is known of the time before.
	runOf := func(at time.Time) time.Time {
		var out time.Time
		for _, r := range runs {
			if !r.After(at) && r.After(out) {
				out = r
			}
		}
		return out
	}
	span := func(s api.Span, begin time.Time, end *time.Time, source string) {
		if end != nil && !end.After(begin) || begin.After(to) || end != nil && end.Before(from) || s.Status == "" {
			return
		}
		if begin.Before(from) {
			begin = from
		}
		s.From, s.To, s.Source, s.Class = begin.UTC(), end, source, l.class(name, s.Status)
		if n := len(lane.Spans); n > 0 && lane.Spans[n-1].To != nil && lane.Spans[n-1].To.Equal(s.From) && lane.Spans[n-1].Status == s.Status &&
			lane.Spans[n-1].Reason == s.Reason {
			lane.Spans[n-1].To = s.To
			return
		}
		lane.Spans = append(lane.Spans, s)
	}
	var flips []time.Time
	for i, r := range records {
		at := r.At
		if i == 0 && r.Source == history.Seen && r.Was != "" {
			span(api.Span{Status: r.Was}, runOf(at), &at, "gap")
		}
		if r.Was != r.Is && r.Source == history.Seen {
			flips = append(flips, at)
		}
		begin, source := at, laneSource(r.Source)
		if r.Source == history.First && !r.Since.IsZero() && (i == 0 || !r.Since.Before(records[i-1].At)) {
			begin, source = r.Since, "condition" // the object itself says when it began
		}
		var end *time.Time
		switch {
		case i+1 < len(records):
			next := records[i+1].At
			if run := runOf(next); run.After(at) && records[i+1].Source != history.Seen { // a gap is between them
				next = run
			}
			end = &next
		case r.Is == "":
			continue
		case present == nil:
			end = &to
		}
		state := api.Span{Status: r.Is, Reason: r.Reason, Message: r.Message}
		if end == nil && present != nil && present.Status == r.Is {
			state = *present
		}
		span(state, begin, end, source)
	}
	if len(records) == 0 && present != nil {
		begin, source := from, "gap"
		if since != nil {
			begin, source = *since, "condition"
			if name == "" && len(l.Conditions) == 0 {
				source = "managedFields"
			}
		}
		span(*present, begin, nil, source)
	}
	for i := range flips {
		n := 0
		for _, other := range flips[i:] {
			if other.Sub(flips[i]) <= flapTime*time.Second {
				n++
			}
		}
		lane.Flips = max(lane.Flips, n)
	}
	lane.Flapping = lane.Flips >= mostFlips
	return lane
}

func (l Lanes) class(name, status string) string {
	if name == "" {
		return classOf(status)
	}
	bad := status == "False"
	if l.Unhealthy != nil {
		bad = l.Unhealthy(name, status)
	}
	switch {
	case bad:
		return "bad"
	case status == "True" || status == "False":
		return "ok"
	}
	return "unknown"
}

// History returns the history of an object; false if nothing is known of it.
func (f *Fleet) History(ctx context.Context, s *Source, id relation.ID, from, to time.Time) (api.History, bool) {
	if !s.may(id.GroupKind, id.Namespace) {
		return api.History{}, false
	}
	l := Lanes{Object: id}
	s.mu.Lock()
	if n := s.build1(id); n != nil {
		l.Judgement, l.Conditions = &n.Judgement, s.conditions(n.Object)
		if k := s.kindOf(n.Object); k != nil {
			l.Unhealthy = k.Unhealthy
		}
	}
	s.mu.Unlock()
	if s.whole != nil {
		l.Recorded = s.whole.Store
	}
	h := l.Of(s.Store, from, to)
	h.ID = s.id(id)
	h.Marks, h.MarksError = s.marks(ctx, id, from, to)
	return h, len(h.Lanes) > 0
}

// build1 returns an object with its verdict and without a tree; nil without one. The lock must be held.
func (s *Source) build1(id relation.ID) *relation.Node {
	o := s.Graph.Get(id)
	if o == nil {
		return nil
	}
	s.walk.Renew(s.Judge())
	return &relation.Node{ID: id, Object: o, Judgement: s.walk.Judgement(o)}
}

// identity makes a row of a record, for a query.
func (s *Source) identity(r history.Record) *Row {
	out := &Row{ID: r.Object, source: s, Verdict: verdict.Status(cmp.Or(r.Is, r.Was)), Reason: r.Reason, Message: r.Message}
	if row := s.fleet.Get(s, r.Object); row != nil {
		out.labels, out.apiVersion, out.cause, out.conditions = row.labels, row.apiVersion, row.cause, row.conditions
	}
	return out
}

// trend names a change.
func trend(was, is verdict.Status) string {
	switch {
	case was == "":
		return "new"
	case is == "":
		return "gone"
	case is.Worse(was):
		return "worse"
	case was.Worse(is):
		return "better"
	}
	return "same"
}

// Changes returns the changes of verdicts between two times, the newest first.
func (f *Fleet) Changes(q Query, from, to time.Time, offset, limit int) api.Changes {
	out := api.Changes{From: from, To: to, Offset: offset, Changes: []api.Change{}}
	var all []api.Change
	for _, s := range f.Sources() {
		if s.Store == nil {
			all = append(all, s.turned(&q, from, to)...)
			continue
		}
		if stats := s.Store.Stats(); out.Known == nil || stats.Since.After(*out.Known) {
			out.Known = &stats.Since
		}
		reasons := map[relation.ID]api.State{}
		s.Store.Scan(func(r history.Record) bool {
			if r.Kind != history.Verdict {
				return true
			}
			was := reasons[r.Object]
			if string(was.Verdict) != r.Was {
				was = api.State{Verdict: verdict.Status(r.Was)}
			}
			is := api.State{Verdict: verdict.Status(r.Is), Reason: r.Reason, Message: r.Message}
			if reasons[r.Object] = is; r.Is == "" {
				delete(reasons, r.Object)
			}
			if r.Source == history.First || r.At.Before(from) || r.At.After(to) {
				return true
			}
			row := s.identity(r)
			if !q.matches(row, "") {
				return true
			}
			all = append(all, api.Change{At: r.At, Subject: s.subject(r.Object), Was: was, Now: is, Trend: trend(was.Verdict, is.Verdict)})
			return true
		})
		out.Gaps = append(out.Gaps, within(Gaps(s.Store), from, to)...)
	}
	slices.SortStableFunc(all, func(a, b api.Change) int { return b.At.Compare(a.At) })
	out.Total = len(all)
	if offset < len(all) {
		out.Changes = all[offset:min(offset+limit, len(all))]
	}
	out.Hidden = f.hidden()
	return out
}

// chosen returns the rows of a source that a query chooses and that say since when their verdict holds.
func (s *Source) chosen(q *Query) []*Row {
	all, _ := s.fleet.sorted("name")
	return slices.DeleteFunc(slices.Clone(all), func(r *Row) bool {
		return r.source != s || r.since == 0 || !q.matches(r, "")
	})
}

// turned returns the changes that rows themselves know of: since when their verdicts hold. It is for sources without a history, as files.
func (s *Source) turned(q *Query, from, to time.Time) []api.Change {
	var out []api.Change
	for _, r := range s.chosen(q) {
		if at := r.Since(); !at.Before(from) && !at.After(to) {
			c := api.Change{At: at, Subject: s.subject(r.ID), Trend: "worse",
				Now: api.State{Verdict: r.Verdict, Reason: r.Reason, Message: r.Message}}
			if r.Fine() {
				c.Trend = "better"
			}
			out = append(out, c)
		}
	}
	return out
}

// lasting returns what was unhealthy at a time and still is, by the rows themselves.
func (s *Source) lasting(q *Query, at time.Time) []api.MomentState {
	var out []api.MomentState
	for _, r := range s.chosen(q) {
		if !r.Fine() && !r.Since().After(at) {
			out = append(out, api.MomentState{Subject: s.subject(r.ID), Verdict: r.Verdict, Reason: r.Reason, Message: r.Message, Since: r.Since(),
				Source: r.sinceSource()})
		}
	}
	return out
}

// At returns what was unhealthy at a time, worst first.
func (f *Fleet) At(ctx context.Context, q Query, at time.Time, offset, limit int) api.Moment {
	out := api.Moment{Time: at, Offset: offset, Objects: []api.MomentState{}}
	var all []api.MomentState
	var notes []string
	for _, s := range f.Sources() {
		if s.Store == nil {
			all = append(all, s.lasting(&q, at)...)
			notes = append(notes, strings.TrimPrefix(s.Name+": nothing is recorded: only what is unhealthy now and says since when is shown", ": "))
			s.around(ctx, &q, at, &out)
			continue
		}
		state, until, known, note := stateAt(s.Store, at)
		out.Known = out.Known || known
		if note != "" {
			notes = append(notes, strings.TrimPrefix(s.Name+": "+note, ": "))
			s.around(ctx, &q, at, &out)
		}
		for id, r := range state {
			row := s.identity(r)
			if row.Fine() || !q.matches(row, "") {
				continue
			}
			m := api.MomentState{Subject: s.subject(id), Verdict: row.Verdict, Reason: r.Reason, Message: r.Message, Since: r.At,
				Source: laneSource(r.Source)}
			if !r.Since.IsZero() && r.Since.Before(r.At) && r.Source != history.Seen {
				m.Since, m.Source = r.Since, row.sinceSource() // the object itself reports when it began
			}
			if end, changed := until[id]; changed {
				m.Until = &end
			}
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b api.MomentState) int {
		return cmp.Or(cmp.Compare(b.Verdict.Rank(), a.Verdict.Rank()), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	if out.Unhealthy = len(all); offset < len(all) {
		out.Objects = all[offset:min(offset+limit, len(all))]
	}
	out.Message, out.Hidden = strings.Join(notes, "; "), f.hidden()
	return out
}

// stateAt returns the last record of each object that was there at a time, and when it changed next. known reports whether something was
// watched then.
func stateAt(store *history.Store, at time.Time) (state map[relation.ID]history.Record, until map[relation.ID]time.Time, known bool,
	note string) {
	state, until = map[relation.ID]history.Record{}, map[relation.ID]time.Time{}
	var first time.Time
	store.Scan(func(r history.Record) bool {
		if first.IsZero() {
			first = r.At
		}
		if r.Kind != history.Verdict {
			return true
		}
		if r.At.After(at) && (r.Source != history.First || r.Since.IsZero() || r.Since.After(at)) {
			if old, there := state[r.Object]; there && old.Is != r.Is {
				if _, changed := until[r.Object]; !changed {
					until[r.Object] = r.At
				}
			}
			return true
		}
		if r.Is == "" {
			delete(state, r.Object)
		} else {
			state[r.Object] = r
		}
		return true
	})
	switch {
	case first.IsZero():
		return state, until, false, "nothing was recorded"
	case at.Before(first):
		return state, until, false, "nothing was watched before " + first.Format(time.RFC3339) + ": only what has been so since then is shown"
	}
	for _, g := range Gaps(store) {
		if !at.Before(g.From) && !at.After(g.To) {
			return state, until, true, "nothing was watched from " + g.From.Format(time.RFC3339) + " to " + g.To.Format(time.RFC3339) + " (" +
				g.Reason + ")"
		}
	}
	return state, until, true, ""
}

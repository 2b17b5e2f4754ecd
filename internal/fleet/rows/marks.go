// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// marks returns what events and the managed fields of an object report of a time, in order. Both are read for this answer, because the time
// was not watched.
func (s *Source) marks(ctx context.Context, id relation.ID, from, to time.Time) (out []api.Mark, problem string) {
	within := func(m api.Mark) {
		end := m.At
		if m.Until != nil {
			end = *m.Until
		}
		if !m.At.After(to) && !end.Before(from) {
			out = append(out, m)
		}
	}
	events, problem := s.eventsFor(ctx)(id)
	for _, e := range events {
		if e.First == nil {
			continue
		}
		m := api.Mark{At: *e.First, Source: "event", Warning: e.Type == "Warning", Reason: e.Reason, Message: cut(e.Message, maxMessage),
			Count: e.Count}
		if e.Last.After(m.At) {
			m.Until = e.Last
		}
		within(m)
	}
	for _, w := range s.writes(ctx, id) {
		within(w)
	}
	slices.SortStableFunc(out, func(a, b api.Mark) int { return a.At.Compare(b.At) })
	return out, problem
}

// writes returns the last write of each manager of an object. A source that follows a cluster does not keep them, so they are read.
func (s *Source) writes(ctx context.Context, id relation.ID) (out []api.Mark) {
	o := s.Graph.Get(id)
	if s.Cluster != nil {
		m, err := s.Cluster.Served.RESTMapping(id.GroupKind)
		if err != nil {
			return nil
		}
		ctx, stop := context.WithTimeout(ctx, waiting)
		defer stop()
		content, failed := s.Cluster.Whole(ctx, m, id)
		if failed != nil {
			return nil // what could not be read is reported by the events
		}
		o = relation.FromContent(content)
	}
	if o == nil {
		return nil
	}
	for _, entry := range nested.Maps(o.Content, "metadata", "managedFields") {
		at, err := time.Parse(time.RFC3339, nested.Text(entry, "time"))
		if err != nil {
			continue
		}
		fields, part := nested.Map(entry, "fieldsV1"), nested.Text(entry, "subresource")
		switch {
		case part != "":
		case fields["f:spec"] != nil:
			part = "spec"
		case fields["f:status"] != nil:
			part = "status"
		default:
			part = "metadata"
		}
		out = append(out, api.Mark{At: at.UTC(), Source: "managedFields", Manager: cut(nested.Text(entry, "manager"), maxMessage), Part: part})
	}
	return out
}

// The limits of warnings around a time.
const (
	widest       = 5 * time.Minute // between the time and a warning
	mostWarnings = 500             // in one answer
	warningsAge  = 10 * time.Second
)

// warnings are the warnings of a source, which are read again after a while.
type warnings struct {
	mu   sync.Mutex
	read time.Time
	list []api.MomentEvent
	ids  []relation.ID // the objects of the list
	at   []string      // the namespaces of the events
	why  string
}

// around adds the warnings around a time to an answer.
func (s *Source) around(ctx context.Context, q *Query, at time.Time, out *api.Moment) {
	w := &s.warned
	w.mu.Lock()
	if w.read.IsZero() || time.Since(w.read) > warningsAge {
		w.list, w.ids, w.at, w.why = s.readWarnings(ctx)
		w.read = time.Now()
	}
	list, ids, namespaces, why := w.list, w.ids, w.at, w.why
	w.mu.Unlock()
	for i, e := range list {
		if e.First.After(at.Add(widest)) || e.Last.Before(at.Add(-widest)) {
			continue
		}
		if !s.may(eventKind, namespaces[i]) {
			continue
		}
		row := &Row{ID: ids[i], source: s, Verdict: verdict.Unknown, Reason: e.Reason, Message: e.Message}
		if known := s.fleet.Get(s, ids[i]); known != nil {
			row = known
		}
		if !q.matches(row, "verdict") {
			continue
		}
		if len(out.Events) == mostWarnings {
			why = "more warnings than are shown: choose a filter"
			break
		}
		out.Events = append(out.Events, e)
	}
	if !s.may(eventKind, "") {
		why = "you may not list the events of every namespace"
	}
	out.EventsError = cmp.Or(out.EventsError, why)
	slices.SortStableFunc(out.Events, func(a, b api.MomentEvent) int { return b.Last.Compare(a.Last) })
}

// mostPlaces is of how many namespaces the warnings are read one after another.
const mostPlaces = 20

// eventPlaces returns the namespaces whose events the reader may list, as far as its objects are in them; the empty one alone means all.
func (s *Source) eventPlaces() (out []string) {
	if s.may(eventKind, "") {
		return []string{""}
	}
	seen := map[string]bool{}
	for _, r := range s.rows() {
		seen[cmp.Or(r.Namespace, "default")] = true
	}
	for _, namespace := range slices.Sorted(maps.Keys(seen)) {
		if len(out) < mostPlaces && s.may(eventKind, namespace) {
			out = append(out, namespace)
		}
	}
	return out
}

// readWarnings reads the warnings of the source.
func (s *Source) readWarnings(ctx context.Context) (list []api.MomentEvent, ids []relation.ID, namespaces []string, why string) {
	take := func(o *relation.Object) {
		id, e := render.EventOf(o)
		if e == nil || e.Type != "Warning" || e.Last.IsZero() {
			return
		}
		ids, namespaces = append(ids, id), append(namespaces, o.Namespace)
		list = append(list, api.MomentEvent{Subject: s.subject(id), Reason: cut(e.Reason, maxMessage), Message: cut(e.Message, maxMessage),
			Count: e.Count, First: e.First.UTC(), Last: e.Last.UTC()})
	}
	if s.Cluster == nil {
		for _, group := range []string{"", "events.k8s.io"} {
			for _, o := range s.Graph.List(schema.GroupKind{Group: group, Kind: "Event"}) {
				take(o)
			}
		}
		return list, ids, namespaces, ""
	}
	ctx, stop := context.WithTimeout(ctx, waiting)
	defer stop()
	for _, namespace := range s.eventPlaces() {
		more, err := s.Cluster.Warnings(ctx, namespace, take)
		switch {
		case err != nil:
			return list, ids, namespaces, err.Error()
		case more:
			return list, ids, namespaces, "there are more warnings in the cluster than are read"
		}
	}
	return list, ids, namespaces, ""
}

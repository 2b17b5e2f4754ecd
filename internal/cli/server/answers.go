// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
)

// request is one that is signed in. The first parameter that cannot be read is its error.
type request struct {
	*http.Request
	query url.Values
	fleet *rows.Fleet // what the reader sees
	user  string
	err   error
}

// refuse makes a sentence the error, unless there is one already.
func (r *request) refuse(format string, args ...any) {
	if r.err == nil {
		r.err = invalid(fmt.Sprintf(format, args...))
	}
}

// The limits of parameters.
const (
	mostRows   = 500
	mostValues = 100
	mostWords  = 8
	mostBytes  = 1024
)

// filter reads the parameters that choose rows.
func (r *request) filter() rows.Query {
	v := r.query
	q := rows.Query{Clusters: v["cluster"], Namespaces: v["namespace"], Kinds: v["kind"], Cause: v.Get("cause")}
	for name, list := range v {
		if len(list) > mostValues {
			r.refuse("%s: at most %d values", name, mostValues)
		}
		for _, one := range list {
			if len(one) > mostBytes {
				r.refuse("%s: at most %d bytes", name, mostBytes)
			}
		}
	}
	if r.err != nil {
		return q
	}
	for _, word := range v["verdict"] {
		status, err := verdict.ParseStatus(word)
		if err != nil {
			r.refuse("verdict: %s", err)
		}
		q.Verdicts = append(q.Verdicts, string(status))
	}
	if label := v.Get("label"); label != "" {
		selector, err := labels.Parse(label)
		if err != nil {
			r.refuse("label: %s", err)
		}
		q.Label = selector
	}
	if q.Words = strings.Fields(strings.ToLower(v.Get("text"))); len(q.Words) > mostWords {
		r.refuse("text: at most %d words", mostWords)
	}
	for name, flag := range map[string]*bool{"unhealthy": &q.Unhealthy, "overdue": &q.Overdue} {
		if text := v.Get(name); text != "" {
			value, err := strconv.ParseBool(text)
			if err != nil {
				r.refuse("%s: %q is neither true nor false", name, text)
			}
			*flag = value
		}
	}
	return q
}

// number reads a parameter that is a number from 0 to most.
func (r *request) number(name string, usual, most int) int {
	text := r.query.Get(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		r.refuse("%s: %q is no number from 0 to %d", name, text, most)
	}
	return n
}

// page reads offset and limit, which is 100 where it is not given.
func (r *request) page() (offset, limit int) {
	return r.number("offset", 0, 100_000_000), r.number("limit", 100, mostRows)
}

// when reads a time: RFC 3339, or a duration before now.
func (r *request) when(name string, now, usual time.Time) time.Time {
	text := r.query.Get(name)
	if text == "" {
		return usual
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d)
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		r.refuse("%s: %q is neither a time as 2026-01-02T03:04:05Z nor a duration as 15m", name, text)
	}
	return t.UTC()
}

// object reads the parameter id.
func (s *Server) object(r *request) (*rows.Source, api.ID) {
	id, err := api.ParseID(r.query.Get("id"))
	if err != nil {
		r.refuse("%s", err)
		return nil, id
	}
	source := r.fleet.Source(id.Cluster)
	if source == nil {
		r.err = notFound(fmt.Sprintf("there is no cluster %q", id.Cluster))
	}
	return source, id
}

// seen returns the answer about an object. Without one it does not exist, or the reader may not see it: the error does not say which.
func seen[T any](id api.ID, answer T, ok bool) (any, error) {
	if !ok {
		return nil, notFound(fmt.Sprintf("%s is not there, or you may not see it", id.ID))
	}
	return answer, nil
}

func (s *Server) about(r *request) (any, error) {
	seq, _, _ := r.fleet.Seq()
	out := api.About{Version: s.Version, Mode: s.Mode, Title: s.Title, Epoch: r.fleet.Epoch, Seq: seq, Now: r.fleet.Clock(),
		Clusters: clusters(r.fleet), User: r.user}
	for _, source := range r.fleet.Sources() {
		if state := rows.StoreState(source.Store); state != nil && out.History == nil {
			out.History = state
		}
	}
	return out, nil
}

func (s *Server) overview(r *request) (any, error) {
	q, limit := r.filter(), r.number("limit", 50, mostRows)
	if r.err != nil {
		return nil, r.err
	}
	return r.fleet.Overview(q, limit), nil
}

func (s *Server) objects(r *request) (any, error) {
	q := r.filter()
	offset, limit := r.page()
	by := cmp.Or(r.query.Get("sort"), "problems")
	if by != "problems" && by != "name" && by != "age" {
		r.refuse("sort: %q is none of problems, name, age", by)
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.fleet.Window(q, by, offset, limit), nil
}

func (s *Server) facets(r *request) (any, error) {
	q := r.filter()
	if r.err != nil {
		return nil, r.err
	}
	return r.fleet.Facets(q), nil
}

func (s *Server) tree(r *request) (any, error) {
	source, id := s.object(r)
	o := rows.TreeOptions{Group: r.query.Get("group"), Up: r.query.Get("up") == "true", Depth: r.number("depth", 0, 50)}
	o.Offset, o.Limit = r.page()
	if r.err != nil {
		return nil, r.err
	}
	out, ok := r.fleet.Tree(r.Context(), source, id.ID, o)
	return seen(id, out, ok)
}

func (s *Server) why(r *request) (any, error) {
	source, id := s.object(r)
	if r.err != nil {
		return nil, r.err
	}
	out, ok := r.fleet.Why(r.Context(), source, id.ID)
	return seen(id, out, ok)
}

// usualHistory is how far back a history goes without a parameter.
const usualHistory = 24 * time.Hour

func (s *Server) history(r *request) (any, error) {
	source, id := s.object(r)
	now := r.fleet.Clock()
	to := r.when("to", now, now)
	from := r.when("from", now, to.Add(-usualHistory))
	if from.After(to) {
		r.refuse("from is after to")
	}
	if r.err != nil {
		return nil, r.err
	}
	out, ok := r.fleet.History(r.Context(), source, id.ID, from, to)
	return seen(id, out, ok)
}

func (s *Server) changes(r *request) (any, error) {
	q, now := r.filter(), r.fleet.Clock()
	to := r.when("until", now, now)
	from := r.when("since", now, to.Add(-15*time.Minute))
	offset, limit := r.page()
	if r.err != nil {
		return nil, r.err
	}
	return r.fleet.Changes(q, from, to, offset, limit), nil
}

func (s *Server) at(r *request) (any, error) {
	q, now := r.filter(), r.fleet.Clock()
	if r.query.Get("time") == "" {
		r.refuse("time: name a time as 2026-01-02T03:04:05Z, or a duration as 15m")
	}
	at := r.when("time", now, now)
	offset, limit := r.page()
	if r.err != nil {
		return nil, r.err
	}
	return r.fleet.At(r.Context(), q, at, offset, limit), nil
}

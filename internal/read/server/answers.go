// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/read/api"
	"github.com/tristate/tristate/internal/read/rows"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
)

// request is one that is signed in.
type request struct {
	*http.Request
	query url.Values
	may   rows.May
	user  string
}

// The limits of parameters.
const (
	mostRows   = 500
	mostValues = 100
	mostWords  = 8
	mostBytes  = 1024
)

// filter reads the parameters that choose rows.
func filter(v url.Values) (rows.Query, error) {
	q := rows.Query{Clusters: v["cluster"], Namespaces: v["namespace"], Kinds: v["kind"], Cause: v.Get("cause")}
	for name, list := range v {
		if len(list) > mostValues {
			return q, invalid(fmt.Sprintf("%s: at most %d values", name, mostValues))
		}
		for _, one := range list {
			if len(one) > mostBytes {
				return q, invalid(fmt.Sprintf("%s: at most %d bytes", name, mostBytes))
			}
		}
	}
	for _, word := range v["verdict"] {
		status, err := verdict.ParseStatus(word)
		if err != nil {
			return q, invalid("verdict: " + err.Error())
		}
		q.Verdicts = append(q.Verdicts, string(status))
	}
	if label := v.Get("label"); label != "" {
		selector, err := labels.Parse(label)
		if err != nil {
			return q, invalid("label: " + err.Error())
		}
		q.Label = selector
	}
	if q.Words = strings.Fields(strings.ToLower(v.Get("text"))); len(q.Words) > mostWords {
		return q, invalid(fmt.Sprintf("text: at most %d words", mostWords))
	}
	for name, flag := range map[string]*bool{"unhealthy": &q.Unhealthy, "overdue": &q.Overdue} {
		text := v.Get(name)
		if text == "" {
			continue
		}
		value, err := strconv.ParseBool(text)
		if err != nil {
			return q, invalid(fmt.Sprintf("%s: %q is neither true nor false", name, text))
		}
		*flag = value
	}
	return q, nil
}

// number reads a parameter that is a number from 0 to most.
func (r *request) number(name string, usual, most int) (int, error) {
	text := r.query.Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, invalid(fmt.Sprintf("%s: %q is no number from 0 to %d", name, text, most))
	}
	return n, nil
}

// page reads offset and limit, which is 100 where it is not given.
func (r *request) page() (offset, limit int, err error) {
	if offset, err = r.number("offset", 0, 100_000_000); err == nil {
		limit, err = r.number("limit", 100, mostRows)
	}
	return offset, limit, err
}

// when reads a time: RFC 3339, or a duration before now.
func (r *request) when(name string, now, usual time.Time) (time.Time, error) {
	text := r.query.Get(name)
	if text == "" {
		return usual, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, invalid(fmt.Sprintf("%s: %q is neither a time as 2026-01-02T03:04:05Z nor a duration as 15m", name, text))
	}
	return t.UTC(), nil
}

// object reads the parameter id.
func (s *Server) object(r *request) (*rows.Source, api.ID, error) {
	id, err := api.ParseID(r.query.Get("id"))
	if err != nil {
		return nil, id, invalid(err.Error())
	}
	source := s.Fleet.Source(id.Cluster)
	if source == nil {
		return nil, id, notFound(fmt.Sprintf("there is no cluster %q", id.Cluster))
	}
	return source, id, nil
}

// unseen is the answer about an object that does not exist, or that the reader may not see: it does not say which.
func unseen(id api.ID) error {
	return notFound(fmt.Sprintf("%s is not there, or you may not see it", id.ID))
}

func (s *Server) about(r *request) (any, error) {
	seq, _, _ := s.Fleet.Seq()
	out := api.About{Version: s.Version, Mode: s.Mode, Title: s.Title, Epoch: s.Fleet.Epoch, Seq: seq, Now: s.Fleet.Clock(),
		Clusters: s.clusters(r.may), User: r.user}
	for _, source := range s.Fleet.Sources() {
		if state := rows.StoreState(source.Store); state != nil && out.History == nil {
			out.History = state
		}
	}
	return out, nil
}

func (s *Server) overview(r *request) (any, error) {
	q, err := filter(r.query)
	if err != nil {
		return nil, err
	}
	limit, err := r.number("limit", 50, mostRows)
	if err != nil {
		return nil, err
	}
	return s.Fleet.Overview(q, limit, r.may), nil
}

func (s *Server) objects(r *request) (any, error) {
	q, err := filter(r.query)
	if err != nil {
		return nil, err
	}
	offset, limit, err := r.page()
	if err != nil {
		return nil, err
	}
	by := r.query.Get("sort")
	switch by {
	case "":
		by = "problems"
	case "problems", "name", "age":
	default:
		return nil, invalid(fmt.Sprintf("sort: %q is none of problems, name, age", by))
	}
	return s.Fleet.Window(q, by, offset, limit, r.may), nil
}

func (s *Server) facets(r *request) (any, error) {
	q, err := filter(r.query)
	if err != nil {
		return nil, err
	}
	return s.Fleet.Facets(q, r.may), nil
}

func (s *Server) tree(r *request) (any, error) {
	source, id, err := s.object(r)
	if err != nil {
		return nil, err
	}
	o := rows.TreeOptions{Group: r.query.Get("group"), Up: r.query.Get("up") == "true"}
	if o.Depth, err = r.number("depth", 0, 50); err != nil {
		return nil, err
	}
	if o.Offset, o.Limit, err = r.page(); err != nil {
		return nil, err
	}
	out, ok := s.Fleet.Tree(r.Context(), source, id.ID, o, r.may)
	if !ok {
		return nil, unseen(id)
	}
	return out, nil
}

func (s *Server) why(r *request) (any, error) {
	source, id, err := s.object(r)
	if err != nil {
		return nil, err
	}
	out, ok := s.Fleet.Why(r.Context(), source, id.ID, r.may)
	if !ok {
		return nil, unseen(id)
	}
	return out, nil
}

// usualHistory is how far back a history goes without a parameter.
const usualHistory = 24 * time.Hour

func (s *Server) history(r *request) (any, error) {
	source, id, err := s.object(r)
	if err != nil {
		return nil, err
	}
	now := s.Fleet.Clock()
	to, err := r.when("to", now, now)
	if err != nil {
		return nil, err
	}
	from, err := r.when("from", now, to.Add(-usualHistory))
	if err != nil {
		return nil, err
	}
	if from.After(to) {
		return nil, invalid("from is after to")
	}
	out, ok := s.Fleet.History(r.Context(), source, id.ID, from, to, r.may)
	if !ok {
		return nil, unseen(id)
	}
	return out, nil
}

func (s *Server) changes(r *request) (any, error) {
	q, err := filter(r.query)
	if err != nil {
		return nil, err
	}
	now := s.Fleet.Clock()
	to, err := r.when("until", now, now)
	if err != nil {
		return nil, err
	}
	from, err := r.when("since", now, to.Add(-15*time.Minute))
	if err != nil {
		return nil, err
	}
	offset, limit, err := r.page()
	if err != nil {
		return nil, err
	}
	return s.Fleet.Changes(q, from, to, offset, limit, r.may), nil
}

func (s *Server) at(r *request) (any, error) {
	q, err := filter(r.query)
	if err != nil {
		return nil, err
	}
	if r.query.Get("time") == "" {
		return nil, invalid("time: name a time as 2026-01-02T03:04:05Z, or a duration as 15m")
	}
	now := s.Fleet.Clock()
	at, err := r.when("time", now, now)
	if err != nil {
		return nil, err
	}
	offset, limit, err := r.page()
	if err != nil {
		return nil, err
	}
	return s.Fleet.At(r.Context(), q, at, offset, limit, r.may), nil
}

// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/labels"
)

// Query chooses rows. Values of one field are alternatives; all fields must hold.
type Query struct {
	Clusters, Namespaces, Kinds, Verdicts []string // kinds as Kind or Kind.group
	Label                                 labels.Selector
	Words                                 []string // in lower case
	Unhealthy, Overdue                    bool
	Cause                                 string // the key of a cause
	Namespaced                            bool   // without cluster-scoped objects
}

// matches reports whether a query chooses a row. Dimension skip (cluster, namespace, kind or verdict) is not looked at.
func (q *Query) matches(r *Row, skip string) bool {
	return (skip == "verdict" || len(q.Verdicts) == 0 || slices.Contains(q.Verdicts, string(r.Verdict))) &&
		(!q.Unhealthy || !r.Fine()) && (!q.Namespaced || r.Namespace != "") && (!q.Overdue || r.Overdue) &&
		(skip == "cluster" || len(q.Clusters) == 0 || slices.Contains(q.Clusters, r.source.Name)) &&
		(skip == "namespace" || len(q.Namespaces) == 0 || slices.Contains(q.Namespaces, r.Namespace)) &&
		(skip == "kind" || len(q.Kinds) == 0 ||
			slices.ContainsFunc(q.Kinds, func(k string) bool { return k == r.Kind || k == r.GroupKind.String() })) &&
		(q.Cause == "" || r.cause != nil && r.cause.key == q.Cause) &&
		(q.Label == nil || q.Label.Matches(rowLabels(r.labels))) && q.says(r)
}

// says reports whether each word is part of a text of the row.
func (q *Query) says(r *Row) bool {
	for _, word := range q.Words {
		if !contains(r.Name, word) && !contains(r.Kind+"/"+r.Name, word) && !contains(r.Namespace, word) && !contains(r.Reason, word) &&
			!contains(r.Message, word) && !contains(r.Type, word) {
			return false
		}
	}
	return true
}

func contains(text, lower string) bool { return strings.Contains(strings.ToLower(text), lower) }

// rowLabels are the labels of a row, for a selector.
type rowLabels string

// Lookup is a method of labels.Labels.
func (l rowLabels) Lookup(name string) (string, bool) {
	for rest := string(l); rest != ""; {
		entry, more, _ := strings.Cut(rest, "\x00")
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value, true
		}
		rest = more
	}
	return "", false
}

// Has is a method of labels.Labels.
func (l rowLabels) Has(name string) bool { _, ok := l.Lookup(name); return ok }

// Get is a method of labels.Labels.
func (l rowLabels) Get(name string) string { value, _ := l.Lookup(name); return value }

// counter counts rows.
type counter struct{ api.Counts }

func newCounter() counter { return counter{api.Counts{Verdicts: map[string]int{}}} }

func (c *counter) add(r *Row) {
	c.Total++
	c.Verdicts[string(r.Verdict)]++
	if !r.Fine() {
		c.Unhealthy++
	}
	if r.Overdue {
		c.Overdue++
	}
}

// Window returns a part of the rows of a query, in an order (problems, name or age).
func (f *Fleet) Window(q Query, by string, offset, limit int) api.Window {
	all, seq := f.sorted(by)
	counts := newCounter()
	w := api.Window{Epoch: f.Epoch, Seq: seq, Now: f.Clock(), Offset: offset, Rows: []api.Row{}}
	for _, r := range all {
		w.Total++
		if !q.matches(r, "") {
			continue
		}
		if counts.Total >= offset && len(w.Rows) < limit {
			w.Rows = append(w.Rows, r.api())
		}
		counts.add(r)
	}
	w.Filtered, w.Counts, w.Hidden, w.Unread = counts.Total, counts.Counts, f.hidden(), f.Unread()
	return w
}

// Facets counts the values that the dimensions of a query can have.
func (f *Fleet) Facets(q Query) api.Facets {
	all, _ := f.sorted("name")
	sums := map[string]map[string]*api.Facet{"cluster": {}, "namespace": {}, "kind": {}, "verdict": {}}
	for _, r := range all {
		for dimension, of := range sums {
			if !q.matches(r, dimension) {
				continue
			}
			var value string
			switch dimension {
			case "cluster":
				value = r.source.Name
			case "namespace":
				value = r.Namespace
			case "kind":
				value = r.source.kindName(r.GroupKind)
			case "verdict":
				value = string(r.Verdict)
			}
			if of[value] == nil {
				of[value] = &api.Facet{Value: value}
			}
			of[value].Count++
			if !r.Fine() {
				of[value].Unhealthy++
			}
		}
	}
	list := func(dimension string) []api.Facet {
		out := []api.Facet{}
		for _, one := range sums[dimension] {
			out = append(out, *one)
		}
		slices.SortFunc(out, func(a, b api.Facet) int {
			if dimension == "verdict" {
				return cmp.Compare(verdict.Status(b.Value).Rank(), verdict.Status(a.Value).Rank())
			}
			return cmp.Or(cmp.Compare(b.Unhealthy, a.Unhealthy), cmp.Compare(a.Value, b.Value))
		})
		return out
	}
	return api.Facets{Clusters: list("cluster"), Namespaces: list("namespace"), Kinds: list("kind"), Verdicts: list("verdict")}
}

// mostInDelta is how many rows a message about changes holds; more are a request to read again.
const mostInDelta = 500

// Delta returns what changed within a query since a sequence. The second result reports whether anything did.
func (f *Fleet) Delta(q Query, since uint64) (api.Delta, bool) {
	changes, known := f.since(since)
	d := api.Delta{Epoch: f.Epoch, Seq: since, Prev: since, Rows: []api.Row{}, Removed: []string{}, Reload: !known}
	if len(changes) == 0 && known {
		return d, false
	}
	all, seq := f.sorted("problems")
	d.Seq, d.Now = seq, f.Clock()
	type ends struct{ was, is *Row }
	last := map[key]*ends{}
	var ids []key
	for _, c := range changes {
		r := cmp.Or(c.Is, c.Was)
		k := key{r.source, r.ID}
		if last[k] == nil {
			last[k] = &ends{was: c.Was}
			ids = append(ids, k)
		}
		last[k].is = c.Is
	}
	for _, k := range ids {
		e := last[k]
		switch {
		case e.is != nil && q.matches(e.is, ""):
			d.Rows = append(d.Rows, e.is.api())
		case e.was != nil && q.matches(e.was, ""):
			d.Removed = append(d.Removed, k.source.id(k.id))
		}
	}
	if len(d.Rows)+len(d.Removed) > mostInDelta {
		d.Rows, d.Removed, d.Reload = []api.Row{}, []string{}, true
	}
	counts := newCounter()
	for _, r := range all {
		if d.Total++; q.matches(r, "") {
			counts.add(r)
		}
	}
	d.Filtered, d.Counts = counts.Total, counts.Counts
	return d, true
}

// Unread returns what the sources could not read.
func (f *Fleet) Unread() []render.Problem {
	var out []render.Problem
	for _, s := range f.Sources() {
		out = append(out, s.problems()...)
	}
	return out
}

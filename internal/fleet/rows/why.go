// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// eventKind is the kind of events, for rights.
var eventKind = schema.GroupKind{Kind: "Event"}

const (
	mostWhy    = 20  // causes of one object
	mostEquals = 100 // of one cause
	mostEvents = 50
)

// Why returns why an object is as it is; false if the fleet does not have it.
func (f *Fleet) Why(ctx context.Context, s *Source, id relation.ID) (api.Why, bool) {
	s.await(ctx, id)
	s.mu.Lock()
	root := s.build(id, false)
	s.mu.Unlock() // events are read from here on, for which nothing else must wait
	if root == nil {
		return api.Why{}, false
	}
	w := api.Why{Now: f.Clock(), Row: s.nodeRow(root), Causes: []api.Cause{}, Commands: s.commands(root),
		Conditions: s.conditions(root.Object)}
	causes, doubts := relation.Causes(root), relation.Contradictions(root)
	w.Item = s.item(root)
	w.Sentence = render.Sentence(render.Explanation{Root: root, Causes: causes, Doubts: doubts}, render.Options{Now: w.Now})
	about := map[int]relation.ID{}
	for i, c := range causes[:min(len(causes), mostWhy)] {
		w.Causes = append(w.Causes, s.causeOfObject(c))
		about[i] = c.Node.ID
		if c.Node.Missing() && len(c.Chain) > 1 { // the object that refers to it has the message
			about[i] = c.Chain[len(c.Chain)-2].ID
		}
	}
	for _, c := range doubts[:min(len(doubts), mostWhy)] {
		w.Doubts = append(w.Doubts, s.causeOfObject(c))
	}
	labels := root.Object.Labels()
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		w.Labels = append(w.Labels, api.Label{Name: name, Value: labels[name]})
	}
	events := s.eventsFor(ctx)
	w.Events, w.EventsError = events(id)
	for i := range w.Causes {
		if i < 3 {
			w.Causes[i].Events, _ = events(about[i])
		}
	}
	w.Unread, w.Hidden = f.Unread(), f.hidden()
	return w, true
}

// item returns the item of `-o json`, without the ways to causes, which are in Why.Causes.
func (s *Source) item(root *relation.Node) render.Item {
	item := render.Top(root)
	item.Context = s.Name
	for _, list := range [][]render.CauseItem{item.Causes, item.Doubts} {
		for i := range list {
			list[i].Chain = nil
		}
	}
	return item
}

// causeOfObject returns a cause of one object.
func (s *Source) causeOfObject(c relation.Cause) api.Cause {
	out := api.Cause{ID: s.id(c.Node.ID), Missing: c.Node.Missing(), Unexplained: relation.Silent(c.Node), Like: len(c.Nodes) - 1}
	for _, n := range c.Chain[1:max(len(c.Chain)-1, 1)] {
		out.Chain = append(out.Chain, render.Step{Object: render.RefOf(n), Relation: n.Edge})
	}
	row := s.nodeRow(c.Node)
	out.Object = &row
	describe(&out, c.Node.Judgement, render.Advice(c.Node))
	for _, n := range c.Nodes[1:min(len(c.Nodes), mostEquals+1)] {
		out.Equals = append(out.Equals, render.RefOf(n))
		out.LikeIDs = append(out.LikeIDs, s.id(n.ID))
	}
	return out
}

// conditions returns the conditions of an object.
func (s *Source) conditions(o *relation.Object) []api.ConditionRow {
	return ConditionsOf(o, s.kindOf(o))
}

// ConditionsOf returns the conditions of an object with what its catalog, if there is one, says of their cells.
func ConditionsOf(o *relation.Object, k *catalog.Kind) []api.ConditionRow {
	var out []api.ConditionRow
	for _, c := range listed(o) {
		row := api.ConditionRow{Type: c.kind, Status: c.status, Reason: c.reason, Message: cut(c.message, 4096)}
		if !c.since.IsZero() {
			since := c.since.UTC()
			row.Since = &since
		}
		if k != nil {
			if r := k.Reason(c.kind, c.reason, conditions.Status(c.status)); r != nil {
				row.Class, row.Meaning = string(r.Class), r.Meaning
			}
		}
		out = append(out, row)
	}
	return out
}

// kindOf returns the catalog of an object; nil without one.
func (s *Source) kindOf(o *relation.Object) *catalog.Kind {
	if set := s.Graph.Set(); set != nil {
		return set.Of(o.GroupVersionKind())
	}
	return nil
}

// eventsFor returns a function that reads the events about an object, the newest first.
func (s *Source) eventsFor(ctx context.Context) func(relation.ID) ([]api.Event, string) {
	known := map[relation.ID][]api.Event{}
	return func(id relation.ID) ([]api.Event, string) {
		if out, done := known[id]; done {
			return out, ""
		}
		namespace := cmp.Or(id.Namespace, "default")
		if !s.may(eventKind, namespace) {
			return nil, "you may not list events in namespace " + namespace
		}
		g := s.Graph
		if s.Cluster != nil {
			g = relation.New(&catalog.Set{})
			ctx, stop := context.WithTimeout(ctx, waiting)
			defer stop()
			if err := s.Cluster.Events(ctx, g, id); err != nil {
				return nil, err.Error()
			}
		}
		out := []api.Event{}
		for _, group := range []string{"", "events.k8s.io"} {
			for _, o := range g.List(schema.GroupKind{Group: group, Kind: "Event"}) {
				e := render.EventAbout(o, id)
				if e == nil {
					continue
				}
				one := api.Event{Type: e.Type, Reason: e.Reason, Message: cut(e.Message, 1024), Count: e.Count}
				if !e.Last.IsZero() {
					first, last := e.First.UTC(), e.Last.UTC()
					one.First, one.Last = &first, &last
				}
				out = append(out, one)
			}
		}
		slices.SortStableFunc(out, func(a, b api.Event) int {
			return cmp.Compare(seconds(orZero(b.Last)), seconds(orZero(a.Last)))
		})
		out = out[:min(len(out), mostEvents)]
		known[id] = out
		return out, ""
	}
}

func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// plain are arguments that a shell takes as they are.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+-]+$`)

func quote(arg string) string {
	if plain.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// commands returns the commands that show the same in a terminal.
func (s *Source) commands(n *relation.Node) []api.Command {
	resource := strings.ToLower(s.resource(n.GroupKind))
	where := []string{}
	if n.Namespace != "" {
		where = append(where, "-n", n.Namespace)
	}
	line := func(words ...string) string {
		words = append(words, where...)
		if s.Name != "" {
			words = append(words, "--context", s.Name)
		}
		for i, w := range words {
			words[i] = quote(w)
		}
		return strings.Join(words, " ")
	}
	out := []api.Command{{Title: "why", Command: line("tristate", "why", resource+"/"+n.Name)},
		{Title: "tree", Command: line("tristate", "tree", resource+"/"+n.Name)},
		{Title: "history", Command: line("tristate", "history", resource+"/"+n.Name)}}
	if s.Cluster != nil {
		out = append(out, api.Command{Title: "kubectl", Command: line("kubectl", "get", resource, n.Name, "-o", "yaml")},
			api.Command{Title: "events", Command: line("kubectl", "events", "--for", resource+"/"+n.Name)})
		if n.GroupKind == (schema.GroupKind{Kind: "Pod"}) {
			out = append(out, api.Command{Title: "logs", Command: line("kubectl", "logs", n.Name, "--all-containers", "--tail", "50")})
		}
	}
	return out
}

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

// Why returns why an object is as it is; false if there is none, or the reader may not see it.
func (f *Fleet) Why(ctx context.Context, s *Source, id relation.ID, may May) (api.Why, bool) {
	sight := newSight(may)
	if !sight.in(place{s, id.GroupKind, id.Namespace}) {
		return api.Why{}, false
	}
	s.await(ctx, id)
	s.mu.Lock()
	root := s.build(id, false)
	s.mu.Unlock() // rights may be asked of the cluster from here on, for which nothing else must wait
	if root == nil {
		return api.Why{}, false
	}
	w := api.Why{Now: f.Clock(), Row: s.nodeRow(root), Causes: []api.Cause{}, Commands: s.commands(root),
		Conditions: s.conditions(root.Object)}
	causes, doubts := relation.Causes(root), relation.Contradictions(root)
	w.Item = s.item(root, sight)
	visible := func(list []relation.Cause) []relation.Cause {
		return slices.DeleteFunc(slices.Clone(list), func(c relation.Cause) bool { return !s.shows(c, sight) })
	}
	explanation := render.Explanation{Root: root, Causes: visible(causes), Doubts: visible(doubts), Unread: ""}
	if len(explanation.Causes) == len(causes) && len(explanation.Doubts) == len(doubts) {
		w.Sentence = render.Sentence(explanation, render.Options{Now: w.Now})
	} else {
		w.Sentence = root.Kind + "/" + root.Name + " is " + string(root.Judgement.Verdict) + "; it is explained by an object that you may not see."
	}
	about := map[int]relation.ID{}
	for i, c := range causes[:min(len(causes), mostWhy)] {
		w.Causes = append(w.Causes, s.causeOfObject(c, sight))
		about[i] = c.Node.ID
		if c.Node.Missing() && len(c.Chain) > 1 { // the object that refers to it has the message
			about[i] = c.Chain[len(c.Chain)-2].ID
		}
	}
	for _, c := range doubts[:min(len(doubts), mostWhy)] {
		w.Doubts = append(w.Doubts, s.causeOfObject(c, sight))
	}
	labels := root.Object.Labels()
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		w.Labels = append(w.Labels, api.Label{Name: name, Value: labels[name]})
	}
	events := s.eventsFor(ctx, sight)
	w.Events, w.EventsError = events(id)
	for i := range w.Causes {
		if !w.Causes[i].Hidden && i < 3 {
			w.Causes[i].Events, _ = events(about[i])
		}
	}
	w.Unread, w.Hidden = f.Unread(), sight.list(&Query{})
	return w, true
}

// shows reports whether a reader may see a cause and everything on the way to it.
func (s *Source) shows(c relation.Cause, sight *sight) bool {
	return !slices.ContainsFunc(append(slices.Clone(c.Chain), c.Node),
		func(n *relation.Node) bool { return !sight.in(place{s, n.GroupKind, n.Namespace}) })
}

// item returns the item of `-o json`, without causes that the reader may not see.
func (s *Source) item(root *relation.Node, sight *sight) render.Item {
	item := render.Items(root)[0]
	item.Context = s.Name
	hidden := func(c render.CauseItem) bool {
		return !sight.in(place{s, c.Object.GroupKind(), c.Object.Namespace})
	}
	item.Causes, item.Doubts = slices.DeleteFunc(item.Causes, hidden), slices.DeleteFunc(item.Doubts, hidden)
	for _, list := range [][]render.CauseItem{item.Causes, item.Doubts} {
		for i := range list {
			list[i].Chain = nil // it is in Why.Causes, where hidden steps are left out
		}
	}
	return item
}

// causeOfObject returns a cause of one object.
func (s *Source) causeOfObject(c relation.Cause, sight *sight) api.Cause {
	out := api.Cause{ID: s.id(c.Node.ID), Missing: c.Node.Missing(), Unexplained: relation.Silent(c.Node), Like: len(c.Nodes) - 1}
	for _, n := range c.Chain[1:max(len(c.Chain)-1, 1)] {
		if sight.in(place{s, n.GroupKind, n.Namespace}) {
			out.Chain = append(out.Chain, render.Step{Object: render.RefOf(n), Relation: n.Edge})
		}
	}
	if !sight.in(place{s, c.Node.GroupKind, c.Node.Namespace}) {
		hidden := named{key: out.ID, id: c.Node.ID, source: s}
		return api.Cause{ID: hidden.alias(), Hidden: true, Chain: out.Chain}
	}
	row := s.nodeRow(c.Node)
	out.Object = &row
	describe(&out, c.Node.Judgement, render.Advice(c.Node))
	for _, n := range c.Nodes[1:min(len(c.Nodes), mostEquals+1)] {
		if sight.in(place{s, n.GroupKind, n.Namespace}) {
			out.Equals = append(out.Equals, render.RefOf(n))
			out.LikeIDs = append(out.LikeIDs, s.id(n.ID))
		} else {
			out.Like--
		}
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
func (s *Source) eventsFor(ctx context.Context, sight *sight) func(relation.ID) ([]api.Event, string) {
	known := map[relation.ID][]api.Event{}
	return func(id relation.ID) ([]api.Event, string) {
		if out, done := known[id]; done {
			return out, ""
		}
		namespace := cmp.Or(id.Namespace, "default")
		if !sight.in(place{s, eventKind, namespace}) {
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

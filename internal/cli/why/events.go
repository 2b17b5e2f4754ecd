// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"
	"time"

	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/relation"
	"github.com/tristate/tristate/internal/render"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// eventsOf returns a function that finds the most relevant event of an object among those that fit: the newest warning, or else the newest event. In a cluster it
// reads the events of that object only.
func eventsOf(ctx context.Context, v *view.View) func(relation.ID, func(*render.Event) bool) *render.Event {
	g := v.Walk.Graph
	return func(id relation.ID, fits func(*render.Event) bool) *render.Event {
		if v.Cluster != nil {
			if err := v.Cluster.Events(ctx, g, id); err != nil {
				v.Unread = append(v.Unread, err)
			}
		}
		var best *render.Event
		for _, group := range []string{"", "events.k8s.io"} {
			for _, o := range g.List(schema.GroupKind{Group: group, Kind: "Event"}) {
				if e := eventOf(o, id); e != nil && fits(e) && (best == nil || outranks(*e, *best)) {
					best = e
				}
			}
		}
		return best
	}
}

// outranks reports whether event a is more relevant than b.
func outranks(a, b render.Event) bool {
	if (a.Type == "Warning") != (b.Type == "Warning") {
		return a.Type == "Warning"
	}
	return a.Last.After(b.Last)
}

// eventOf reads an event of either API; nil where it is about another object.
func eventOf(o *relation.Object, id relation.ID) *render.Event {
	about, ok := o.Content["involvedObject"].(map[string]any)
	if !ok {
		about, _ = o.Content["regarding"].(map[string]any)
	}
	str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
	group, _ := schema.ParseGroupVersion(str(about, "apiVersion"))
	if str(about, "kind") != id.Kind || group.Group != id.Group || str(about, "name") != id.Name || str(about, "namespace") != id.Namespace {
		return nil
	}
	e := &render.Event{Type: str(o.Content, "type"), Reason: str(o.Content, "reason"), Message: str(o.Content, "message"), Count: 1}
	if e.Message == "" {
		e.Message = str(o.Content, "note")
	}
	series, _ := o.Content["series"].(map[string]any)
	for _, count := range []any{o.Content["count"], o.Content["deprecatedCount"], series["count"]} {
		if n, ok := count.(int64); ok && n > e.Count {
			e.Count = n
		}
	}
	metadata, _ := o.Content["metadata"].(map[string]any)
	for _, when := range []string{str(o.Content, "lastTimestamp"), str(o.Content, "deprecatedLastTimestamp"), str(series, "lastObservedTime"),
		str(o.Content, "eventTime"), str(metadata, "creationTimestamp")} {
		if t, err := time.Parse(time.RFC3339, when); err == nil && t.After(e.Last) {
			e.Last = t
		}
	}
	return e
}

// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"

	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/read/render"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// eventsOf returns a function that finds the most relevant event of an object among those that fit: the newest warning, or else the newest
// event. In a cluster it reads the events of that object only.
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
				if e := render.EventAbout(o, id); e != nil && fits(e) && (best == nil || outranks(*e, *best)) {
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

// SPDX-License-Identifier: Apache-2.0

package why

import (
	"context"
	"time"

	"github.com/tristate/tristate/internal/cli/view"
	"github.com/tristate/tristate/internal/fleet/partial"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// eventsOf returns a function that finds the most relevant event of an object among those that fit: the newest warning, or else the newest
// event. In a cluster it reads the events of that object only.
func eventsOf(ctx context.Context, v *view.View) func(relation.ID, func(*render.Event) bool) *render.Event {
	g := v.Walk.Graph
	var known map[relation.ID][]*render.Event
	var version uint64
	return func(id relation.ID, fits func(*render.Event) bool) *render.Event {
		if v.Cluster != nil {
			if err := v.Cluster.Events(ctx, g, id); err != nil {
				v.Reading.Add(partial.Extra, err)
			}
		}
		if known == nil || version != g.Version() {
			known, version = map[relation.ID][]*render.Event{}, g.Version()
			for _, group := range []string{"", "events.k8s.io"} {
				for _, event := range g.IDs(schema.GroupKind{Group: group, Kind: "Event"}) {
					about, e := render.EventOf(g.Get(event))
					known[about] = append(known[about], e)
				}
			}
		}
		var best *render.Event
		for _, e := range known[id] {
			if fits(e) && (best == nil || outranks(*e, *best)) {
				best = e
			}
		}
		return best
	}
}

// outranks reports whether event a is more relevant than b. A warning comes before a BackOff of the same time, which only repeats the state
// of the container.
func outranks(a, b render.Event) bool {
	if a.Type == "Warning" && b.Type == "Warning" && (a.Reason == "BackOff") != (b.Reason == "BackOff") && a.Last.Sub(b.Last).Abs() < fresh {
		return b.Reason == "BackOff"
	}
	if (a.Type == "Warning") != (b.Type == "Warning") {
		return a.Type == "Warning"
	}
	return a.Last.After(b.Last)
}

// fresh is by how much an event may be older than another one and still be about the same trouble.
const fresh = 10 * time.Minute

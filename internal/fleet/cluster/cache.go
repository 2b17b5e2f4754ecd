// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"maps"
	"slices"

	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Cache keeps the graph of a view up to date by watches: of the kinds that the view wants, and of further queries. Nothing is listed again
// because something has changed. It is for one goroutine, which receives the events and passes them to Take.
type Cache struct {
	*Follower
	// Partial is set before objects are left out of the graph: then a query that is answered covers no kind.
	Partial bool

	view    *relation.View
	kinds   map[relation.ID]int // the queries of kinds in namespaces; -1 for a kind that the server does not have
	queries map[int]Query
	wanted  map[int]relation.ID  // the kind of a query that Widen added, or that asks for every object of a kind in a namespace or in all
	aside   map[int]bool         // queries without which the answer is whole
	extra   map[int]bool         // queries that Want added alone
	silent  map[int]bool         // queries without an answer
	unread  map[int]bool         // queries of wanted kinds without a list
	changed map[relation.ID]bool // since Changes was called
	reset   bool                 // more of the cluster can be read since then, or less
}

// Cache returns an empty cache for a view, which lasts as long as ctx.
func (c *Cluster) Cache(ctx context.Context, v *relation.View) *Cache {
	v.Candidates = c.Candidates
	return &Cache{Follower: c.Follow(ctx), view: v, kinds: map[relation.ID]int{}, wanted: map[int]relation.ID{}, aside: map[int]bool{},
		extra: map[int]bool{}, queries: map[int]Query{}, silent: map[int]bool{}, unread: map[int]bool{},
		changed: map[relation.ID]bool{}}
}

// Add follows more queries and returns the number of the first.
func (c *Cache) Add(queries ...Query) (first int) {
	first = c.Follower.Add(queries...)
	for i := range queries {
		c.silent[first+i], c.queries[first+i] = true, queries[i]
	}
	return first
}

// Widen follows the kinds that the trees of some objects lead to, or their children that count, and that are not followed yet.
func (c *Cache) Widen(ids []relation.ID) { c.widen(c.view.Wanted(ids), false) }

// Want follows kinds in namespaces that are not followed yet. [Cache.Whole] does not wait for them unless Widen or Need wants them too.
func (c *Cache) Want(kinds []relation.Want) { c.widen(kinds, true) }

// Need follows the kinds that healthy objects in the trees of some objects refer to, to find what does not exist.
func (c *Cache) Need(ids []relation.ID) { c.widen(c.view.Needed(ids), false) }

// Aside reports whether the answer is whole without a query: it was added for objects that can only explain others.
func (c *Cache) Aside(query int) bool { return c.aside[query] }

func (c *Cache) widen(wanted []relation.Want, extra bool) {
	for _, w := range wanted {
		want := w.ID
		n, followed := c.kinds[relation.ID{GroupKind: want.GroupKind}]
		if !followed {
			n, followed = c.kinds[want]
		}
		if followed {
			if !w.Aside {
				delete(c.aside, n)
			}
			if !extra {
				delete(c.extra, n)
			}
			continue
		}
		c.kinds[want] = -1
		m, err := c.cluster.Served.RESTMapping(want.GroupKind)
		if err != nil {
			continue // not served here
		}
		n = c.Add(Query{Type: m.Resource.Resource + "." + m.Resource.Version + "." + m.Resource.Group, Namespace: want.Namespace})
		c.kinds[want], c.wanted[n], c.aside[n], c.unread[n], c.extra[n] = n, want, w.Aside, true, extra
	}
}

// Take brings the graph up to date with an event. An object of a query that was added stays in the graph while its kind is followed
// besides.
func (c *Cache) Take(e Event) {
	want, wanted := c.wanted[e.Query]
	switch {
	case e.Object != nil:
		c.view.Graph.Put(e.Object)
		if wanted {
			c.changed[e.Object.ID] = true
		}
	case e.Gone.Name != "" && wanted:
		c.view.Graph.Delete(e.Gone)
		c.changed[e.Gone] = true
	case e.Gone.Name != "":
		if !c.follows(e.Gone.GroupKind) {
			c.view.Graph.Delete(e.Gone)
		}
	default:
		delete(c.silent, e.Query)
		if e.State == Unreachable {
			return
		}
		delete(c.unread, e.Query)
		if q, asked := c.queries[e.Query]; e.State == Served && asked && !wanted && !c.Partial && q.Name+q.Selector+q.Fields == "" {
			want = relation.ID{GroupKind: e.Mapping.GroupVersionKind.GroupKind(), Namespace: q.Namespace}
			wanted, c.wanted[e.Query], c.kinds[want] = true, want, e.Query // nothing of it has to be followed again
		}
		c.reset = c.reset || wanted
		if e.State == Served && wanted {
			if e.Mapping.Scope.Name() == meta.RESTScopeNameRoot {
				want.Namespace = ""
			}
			c.view.Graph.Cover(want.GroupKind, want.Namespace)
		}
	}
}

func (c *Cache) follows(gk schema.GroupKind) bool {
	for want := range c.kinds {
		if want.GroupKind == gk {
			return true
		}
	}
	return false
}

// Answered reports whether every query has had an answer, be it that the server cannot be reached.
func (c *Cache) Answered() bool { return len(c.silent) == 0 }

// Whole reports whether every kind that Widen or Need wanted was read or cannot be.
func (c *Cache) Whole() bool {
	for query := range c.unread {
		if !c.extra[query] {
			return false
		}
	}
	return true
}

// Awaits reports whether the tree of an object leads to a kind whose first list is awaited.
func (c *Cache) Awaits(id relation.ID) bool {
	for _, w := range c.view.Wanted([]relation.ID{id}) {
		for query := range c.unread {
			if of := c.wanted[query]; of.GroupKind == w.GroupKind && (of.Namespace == "" || of.Namespace == w.Namespace) {
				return true
			}
		}
	}
	return false
}

// Read reports whether every wanted kind was read or cannot be.
func (c *Cache) Read() bool { return len(c.unread) == 0 }

// Changes returns the objects of wanted kinds that came, changed or went since the last call. all reports that any judgement may have
// changed.
func (c *Cache) Changes() (ids []relation.ID, all bool) {
	ids, all = slices.Collect(maps.Keys(c.changed)), c.reset
	clear(c.changed)
	c.reset = false
	return ids, all
}

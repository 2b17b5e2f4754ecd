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

// Cache keeps the graph of a view up to date by watches: of queries, and of the kinds that the view wants. Nothing is listed again because
// something has changed. A wanted kind is watched once: in its namespace while there is only one, then in all; in each namespace if it may
// not be read in all. It is for one goroutine, which receives the events and passes them to Take.
type Cache struct {
	*Follower
	// Partial is set before objects are left out of the graph: then a query that is answered covers no kind.
	Partial bool

	view    *relation.View
	queries map[int]*followed         // that were added and not dropped
	silent  int                       // how many of them have no answer
	kinds   map[relation.ID]int       // the queries of kinds in namespaces; -1 for a kind that the server does not have
	parted  map[schema.GroupKind]bool // may not be read in all namespaces
	changed map[relation.ID]bool      // since Changes was called
	reset   bool                      // more of the cluster can be read since then, or less
}

// followed is a query of a cache.
type followed struct {
	Query
	answered bool
	own      bool        // the cache added it
	want     relation.ID // the kind and the namespace whose objects it asks for; no kind if it asks for some of them
	unread   bool        // it is of the cache, and has no list
	aside    bool        // the answer is whole without it
	extra    bool        // Want alone added it
	// joined are the wants for which it asks for all namespaces, until it is answered, and came the objects that came until then.
	joined []relation.Want
	came   map[relation.ID]bool
}

// Cache returns an empty cache for a view, which lasts as long as ctx.
func (c *Cluster) Cache(ctx context.Context, v *relation.View) *Cache {
	v.Candidates = c.Candidates
	v.Graph.Partial()
	return &Cache{Follower: c.Follow(ctx), view: v, queries: map[int]*followed{}, kinds: map[relation.ID]int{},
		parted: map[schema.GroupKind]bool{}, changed: map[relation.ID]bool{}}
}

// Add follows more queries and returns the number of the first.
func (c *Cache) Add(queries ...Query) (first int) {
	first = c.Follower.Add(queries...)
	for i, q := range queries {
		c.queries[first+i] = &followed{Query: q}
	}
	c.silent += len(queries)
	return first
}

// Widen follows the kinds that the trees of some objects lead to, or that their judgements read, and that are not followed yet.
func (c *Cache) Widen(ids []relation.ID) { c.widen(c.view.Wanted(ids), false) }

// Want follows kinds in namespaces that are not followed yet. [Cache.Whole] does not wait for them unless Widen or Need wants them too.
func (c *Cache) Want(kinds []relation.Want) { c.widen(kinds, true) }

// Need follows the kinds that healthy objects in the trees of some objects refer to, to find what does not exist.
func (c *Cache) Need(ids []relation.ID) { c.widen(c.view.Needed(ids), false) }

// Aside reports whether the answer is whole without a query: it was added for objects that can only explain others, or is not followed any
// more.
func (c *Cache) Aside(query int) bool {
	q := c.queries[query]
	return q == nil || q.aside
}

func (c *Cache) widen(wanted []relation.Want, extra bool) {
	places := map[schema.GroupKind]map[string]bool{} // namespaces that are wanted, now or before
	note := func(id relation.ID) {
		if places[id.GroupKind] == nil {
			places[id.GroupKind] = map[string]bool{}
		}
		places[id.GroupKind][id.Namespace] = true
	}
	for _, w := range wanted {
		note(w.ID)
	}
	for id := range c.kinds {
		note(id)
	}
	for _, w := range wanted {
		if c.joins(w, extra) {
			continue
		}
		want := w.ID
		m, err := c.cluster.Served.RESTMapping(w.GroupKind)
		if err != nil {
			c.kinds[want] = -1 // not served here
			continue
		}
		if len(places[w.GroupKind]) > 1 && !c.parted[w.GroupKind] || m.Scope.Name() == meta.RESTScopeNameRoot {
			want.Namespace = ""
		}
		n := c.Add(Query{Type: m.Resource.Resource + "." + m.Resource.Version + "." + m.Resource.Group, Namespace: want.Namespace})
		q := c.queries[n]
		q.own, q.want, q.unread, q.aside, q.extra = true, want, true, w.Aside, extra
		if c.kinds[want] = n; want != w.ID && m.Scope.Name() == meta.RESTScopeNameNamespace {
			q.joined, q.came = []relation.Want{w}, map[relation.ID]bool{}
		}
	}
}

// joins reports whether a want is followed already, and is a further reason for its query then.
func (c *Cache) joins(w relation.Want, extra bool) bool {
	n, known := c.kinds[relation.ID{GroupKind: w.GroupKind}]
	if !known || c.parted[w.GroupKind] && w.Namespace != "" {
		n, known = c.kinds[w.ID]
	}
	if q := c.queries[n]; known && q != nil {
		q.aside, q.extra = q.aside && w.Aside, q.extra && extra
		if q.came != nil && !slices.Contains(q.joined, w) {
			q.joined = append(q.joined, w)
		}
	}
	return known
}

// Take brings the graph up to date with an event. An object of a query that was added stays in the graph while its kind is followed for
// another one. Take returns false for an event without meaning for the reader: about a query that is not followed any more.
func (c *Cache) Take(e Event) bool {
	q := c.queries[e.Query]
	if q == nil {
		return false
	}
	wanted := q.want.Kind != ""
	switch {
	case e.Object != nil:
		c.view.Graph.Put(e.Object)
		if q.came != nil {
			q.came[e.Object.ID] = true
		}
		if wanted {
			c.changed[e.Object.ID] = true
		}
	case e.Gone.Name != "":
		if delete(q.came, e.Gone); wanted {
			c.changed[e.Gone] = true
		}
		if wanted || !c.follows(e.Gone.GroupKind) {
			c.view.Graph.Delete(e.Gone)
		}
	default:
		if !q.answered {
			q.answered = true
			c.silent--
		}
		return e.State == Unreachable || c.answered(e, q)
	}
	return true
}

// answered handles an answer of the server about a query. It returns false if the query is not followed any more by then.
func (c *Cache) answered(e Event, q *followed) bool {
	wanted := q.want.Kind != ""
	q.unread = false
	if e.State == Served && !wanted && !c.Partial && q.Name+q.Selector+q.Fields == "" {
		wanted, q.want = true, relation.ID{GroupKind: e.Mapping.GroupVersionKind.GroupKind(), Namespace: q.Namespace}
		if _, known := c.kinds[q.want]; !known {
			c.kinds[q.want] = e.Query // nothing of it has to be followed again
		}
	}
	c.reset = c.reset || wanted
	if e.State != Served {
		return q.came == nil || !c.part(e.Query, q)
	}
	if wanted {
		gk, namespace := q.want.GroupKind, q.want.Namespace
		if e.Mapping.Scope.Name() == meta.RESTScopeNameRoot {
			namespace = ""
		}
		c.view.Graph.Cover(gk, namespace)
	}
	if q.came != nil {
		c.replace(q)
		q.joined, q.came = nil, nil
	}
	return true
}

// replace ends the queries of single namespaces in whose place one of all namespaces is answered, and drops the objects that went
// meanwhile.
func (c *Cache) replace(wide *followed) {
	for n, q := range c.queries {
		if q == wide || !q.own || q.want.GroupKind != wide.want.GroupKind {
			continue
		}
		c.forget(n, q)
		for _, id := range c.view.Graph.IDs(q.want.GroupKind) {
			if id.Namespace == q.want.Namespace && !wide.came[id] {
				c.view.Graph.Delete(id)
				c.changed[id] = true
			}
		}
	}
}

// part follows the namespaces one by one for which a query asked for all, and reports whether nothing else needs that query.
func (c *Cache) part(n int, q *followed) bool {
	joined, whole := q.joined, false
	q.joined, q.came = nil, nil
	c.parted[q.want.GroupKind] = true
	for _, w := range joined {
		whole = whole || w.Namespace == ""
	}
	if !whole {
		c.forget(n, q)
	}
	c.widen(joined, q.extra)
	return !whole
}

// forget stops following a query.
func (c *Cache) forget(n int, q *followed) {
	c.Drop(n)
	delete(c.queries, n)
	delete(c.kinds, q.want)
	if !q.answered {
		c.silent--
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
func (c *Cache) Answered() bool { return c.silent == 0 }

// Whole reports whether every kind that Widen or Need wanted was read or cannot be.
func (c *Cache) Whole() bool { return !c.any(func(q *followed) bool { return q.unread && !q.extra }) }

// Read reports whether every wanted kind was read or cannot be.
func (c *Cache) Read() bool { return !c.any(func(q *followed) bool { return q.unread }) }

func (c *Cache) any(is func(*followed) bool) bool {
	for _, q := range c.queries {
		if is(q) {
			return true
		}
	}
	return false
}

// Awaits reports whether the tree of an object leads to a kind whose first list is awaited.
func (c *Cache) Awaits(id relation.ID) bool {
	wanted := c.view.Wanted([]relation.ID{id})
	return c.any(func(q *followed) bool {
		return q.unread && slices.ContainsFunc(wanted, func(w relation.Want) bool {
			return q.want.GroupKind == w.GroupKind && (q.want.Namespace == "" || q.want.Namespace == w.Namespace)
		})
	})
}

// Changes returns the objects of wanted kinds that came, changed or went since the last call. all reports that any judgement may have
// changed.
func (c *Cache) Changes() (ids []relation.ID, all bool) {
	ids, all = slices.Collect(maps.Keys(c.changed)), c.reset
	clear(c.changed)
	c.reset = false
	return ids, all
}

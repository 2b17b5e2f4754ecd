// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"maps"
	"slices"
	"sync"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/derive"
	"github.com/tristate/tristate/internal/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ignorant reports whether a pass would take objects for missing that are only not listed yet. The object is judged once they are: until
// then what is stored stands.
func (c *Controller) ignorant(graph *relation.Graph, in derive.Input) bool {
	for _, link := range in.Kind.Relations { // those that nothing is derived from were left out: see narrow
		if link.Target.Kind != "" {
			continue // see kindReady
		}
		for _, id := range graph.Unresolved(in.Self, link.Name) {
			if !c.listed(id.GroupKind) {
				return true
			}
		}
	}
	return false
}

// kindReady reports whether objects of a managed kind can be judged: all of them are known, and all of the kinds that its relations name.
// Objects that come before are judged when that is so: see arrived.
func (c *Controller) kindReady(set managed, gk schema.GroupKind) bool {
	if !c.listed(gk) {
		return false // whether another manager writes the kind is known once all of it is
	}
	for _, k := range set.Kinds() {
		if k.For != gk {
			continue
		}
		for _, link := range k.Relations {
			if link.Target.Kind != "" && !c.listed(link.Target) {
				return false
			}
		}
	}
	return true
}

// arrived makes the objects dirty that waited for a kind: those of the kind itself, of kinds whose relations name it, and those that
// refer to an object of it.
func (c *Controller) arrived(gk schema.GroupKind) {
	c.mu.RLock()
	set := c.set
	c.mu.RUnlock()
	for _, k := range set.Kinds() {
		if !set.kinds[k.For] {
			continue
		}
		if k.For == gk || slices.ContainsFunc(k.Relations, func(l *catalog.Link) bool { return l.Target == gk }) {
			c.recheck(k.For)
		}
	}
	c.enqueue(c.waiting.take()...)
}

// waiting are objects that refer to a kind that is not listed yet.
type waiting struct {
	mu  sync.Mutex
	ids map[relation.ID]bool
}

func (w *waiting) add(id relation.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids == nil {
		w.ids = map[relation.ID]bool{}
	}
	w.ids[id] = true
}

func (w *waiting) take() []relation.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := slices.SortedFunc(maps.Keys(w.ids), relation.Compare)
	w.ids = nil
	return ids
}

// listed reports whether the objects of a kind are known. Of a kind that is not served they are: there are none. Of one that the API server
// could not be asked about they are not.
func (c *Controller) listed(gk schema.GroupKind) bool {
	if s := c.source(gk); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.known
	}
	_, answer := c.kinds.resolve(gk, nil)
	return answer == absent
}

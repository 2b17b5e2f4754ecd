// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/controller/internal/watchset"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// gate holds back judgements that would rest on half of what they need. A kind is open while the catalogs of the cluster are known, and all
// objects of the kind and of each kind that its relations name. An object of an open kind that refers to a kind that is not listed waits
// for that kind. Objects become dirty when their kind opens or their wait ends: once, whichever list was the last one.
//
// Its lock is held for reading while facts are gathered, and for writing while catalogs and watches change: a pass never sees both states.
type gate struct {
	mu    sync.RWMutex
	begun bool // the catalogs of the cluster are known
	open  map[schema.GroupKind]bool

	waitMu  sync.Mutex // guards what follows
	waiting map[schema.GroupKind]map[relation.ID]bool
}

// wait lets an object wait for a kind.
func (g *gate) wait(id relation.ID, gk schema.GroupKind) {
	g.waitMu.Lock()
	defer g.waitMu.Unlock()
	if g.waiting == nil {
		g.waiting = map[schema.GroupKind]map[relation.ID]bool{}
	}
	if g.waiting[gk] == nil {
		g.waiting[gk] = map[relation.ID]bool{}
	}
	g.waiting[gk][id] = true
}

// forget drops an object that waits no longer.
func (g *gate) forget(id relation.ID) {
	g.waitMu.Lock()
	defer g.waitMu.Unlock()
	for _, ids := range g.waiting {
		delete(ids, id)
	}
}

// take returns the objects that waited for kinds that need not be waited for any more.
func (g *gate) take(listed func(schema.GroupKind) bool) []relation.ID {
	g.waitMu.Lock()
	defer g.waitMu.Unlock()
	var out []relation.ID
	for gk, ids := range g.waiting {
		if listed(gk) {
			out = slices.AppendSeq(out, maps.Keys(ids))
			delete(g.waiting, gk)
		}
	}
	slices.SortFunc(out, relation.Compare)
	return slices.Compact(out)
}

// arrived reopens kinds after a list arrived or a kind turned out not to be served.
func (c *Controller) arrived() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.updateOpen(nil)
}

// updateOpen opens and closes kinds to match the lists that have arrived. Kinds for which again returns true are judged
// again although they stay open. Must be called with the lock of the gate held for writing.
func (c *Controller) updateOpen(again func(schema.GroupKind) bool) {
	set := c.inForce()
	open := map[schema.GroupKind]bool{}
	for gk := range set.kinds {
		if !c.gate.begun || !c.listed(gk) || slices.ContainsFunc(set.needs[gk], func(other schema.GroupKind) bool { return !c.listed(other) }) {
			continue
		}
		open[gk] = true
		if !c.gate.open[gk] || again != nil && again(gk) {
			c.queue.Add(c.graph.IDs(gk)...)
		}
	}
	c.gate.open = open
	c.queue.Add(c.gate.take(c.listed)...)
}

// gather collects the input of the pass over an object. It returns false if no pass can be made now; a kind that opens
// later brings the object back.
func (c *Controller) gather(id relation.ID, now time.Time) (derive.Input, bool) {
	c.gate.mu.RLock()
	defer c.gate.mu.RUnlock()
	if !c.gate.open[id.GroupKind] {
		return derive.Input{}, false
	}
	refers := c.inForce().refers[id.GroupKind]
	for {
		self := c.graph.Get(id)
		if refers && self != nil && !c.knows(self) {
			return derive.Input{}, false
		}
		c.queue.Begin(id) // after all that was just found to be known
		in, ok := derive.Gather(c.graph, id, now)
		if ok && in.Self != self {
			continue // changed meanwhile
		}
		return in, ok && len(in.Kind.Derivations) > 0 // without derivations: another version of the kind is managed
	}
}

// knows reports whether every kind that an object refers to is listed; otherwise the object waits for one that is not.
func (c *Controller) knows(self *relation.Object) bool {
	for _, gk := range c.graph.Refers(self) {
		if !c.listed(gk) {
			c.gate.wait(self.ID, gk)
			return false
		}
	}
	c.gate.forget(self.ID)
	return true
}

// listed reports whether the objects of a kind are known. A kind that is not served has no objects, so they are known. If the API server
// could not be asked about the kind, they are not.
func (c *Controller) listed(gk schema.GroupKind) bool {
	if s := c.source(gk); s != nil {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		return s.Known
	}
	_, answer := c.kinds.Resolve(gk, nil)
	return answer == watchset.Absent
}

// enqueue makes objects of open kinds dirty.
func (c *Controller) enqueue(ids ...relation.ID) { c.enqueueAfter(0, ids...) }

// enqueueAfter is enqueue with how many of our own writes in a row led to it.
func (c *Controller) enqueueAfter(chain int, ids ...relation.ID) {
	c.gate.mu.RLock()
	kept := slices.DeleteFunc(slices.Clone(ids), func(id relation.ID) bool { return !c.gate.open[id.GroupKind] })
	c.gate.mu.RUnlock()
	c.queue.AddAfter(chain, kept...)
}

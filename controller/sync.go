// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/internal/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	catalogKind    = schema.GroupKind{Group: "tristate.dev", Kind: catalog.DocumentKind}
)

// watchDefinitions starts to watch CustomResourceDefinitions and waits for the first list: without it nothing is known to be served.
// It gives nil when the context ends before.
func (c *Controller) watchDefinitions(ctx context.Context) *source {
	s := &source{kind: definitionKind, sink: definitions{c}, prune: pruneDefinition,
		served: served{resource: schema.GroupVersionResource{Group: definitionKind.Group, Version: "v1", Resource: "customresourcedefinitions"}}}
	s.start(ctx, c.client)
	c.mu.Lock()
	c.definitions = s
	c.mu.Unlock()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	logged := ""
	for {
		synced, err := s.state()
		if synced {
			return s
		}
		if err != nil && err.Error() != logged {
			logged = err.Error()
			c.log.Warn("cannot list CustomResourceDefinitions yet", "error", err)
		}
		select {
		case <-ctx.Done():
			s.stop()
			<-s.done
			return nil
		case <-tick.C:
		}
	}
}

// definitions takes what is seen of definitions.
type definitions struct{ c *Controller }

func (d definitions) put(o *seen) {
	d.c.kinds.define(definedKind(o.Content), o.Content)
	d.c.changed()
}

func (d definitions) remove(id relation.ID) {
	d.c.kinds.forget(id.Name)
	d.c.changed()
}

// pruneDefinition keeps what is read of a definition: of schemas only that of the status.
func pruneDefinition(_ schema.GroupKind, crd map[string]any) map[string]any {
	spec, _ := crd["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	slim := make([]any, 0, len(versions))
	for _, v := range versions {
		m, _ := v.(map[string]any)
		s, _ := m["schema"].(map[string]any)
		root, _ := s["openAPIV3Schema"].(map[string]any)
		properties, _ := root["properties"].(map[string]any)
		slim = append(slim, map[string]any{"name": m["name"], "served": m["served"], "storage": m["storage"],
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"properties": map[string]any{"status": properties["status"]}}}})
	}
	return map[string]any{"apiVersion": crd["apiVersion"], "kind": crd["kind"], "metadata": crd["metadata"], "status": crd["status"],
		"spec": map[string]any{"group": spec["group"], "names": spec["names"], "scope": spec["scope"], "versions": slim}}
}

// sync starts and stops watches to match the catalogs and what the API server serves. It takes in catalogs that came or went.
func (c *Controller) sync(ctx context.Context) {
	if set, changed := c.catalogs.join(ctx, c.options.Catalogs); changed {
		if before, err := c.use(set); err != nil {
			c.log.Error("catalogs do not agree", "error", err)
		} else {
			c.reload(ctx, before)
		}
	}
	c.mu.RLock()
	set, graph := c.set, c.graph
	c.mu.RUnlock()
	wanted := map[schema.GroupKind]bool{catalogKind: true}
	for _, gk := range slices.Concat(set.watched, graph.References()) {
		wanted[gk] = true
	}
	for gk := range wanted {
		var versions []string
		if k := set.Kind(gk); k != nil {
			versions = k.Versions
		}
		how, answer := c.kinds.resolve(gk, versions)
		running := c.source(gk)
		if running != nil && (answer == absent || answer == found && running.served.resource != how.resource) {
			c.end(gk)
			running = nil
			c.log.Info("kind is no longer served", "kind", gk)
		}
		if answer == absent && !c.absent[gk] {
			c.arrived(gk) // with no object
		}
		c.absent[gk] = answer == absent
		if answer == found && running == nil {
			c.watch(ctx, gk, how, nil)
			c.log.Info("watching", "kind", gk, "resource", how.resource)
		}
	}
	c.mu.RLock()
	var unwanted []schema.GroupKind
	for gk := range c.sources {
		if !wanted[gk] {
			unwanted = append(unwanted, gk)
		}
	}
	c.mu.RUnlock()
	for _, gk := range unwanted {
		c.end(gk)
		delete(c.absent, gk)
	}
}

// watch starts to watch a kind. before is the watch that it takes the place of; nil for none.
func (c *Controller) watch(ctx context.Context, gk schema.GroupKind, how served, before *source) {
	c.mu.RLock()
	set, fields := c.set, c.fields
	c.mu.RUnlock()
	s := &source{kind: gk, served: how, sink: objects{c}, prune: fields.Prune, listed: func() { c.arrived(gk) }}
	if before != nil {
		s.names, s.anew = before.names, true
	}
	if gk == catalogKind {
		s.sink, s.prune = c.catalogs, func(_ schema.GroupKind, content map[string]any) map[string]any { return maps.Clone(content) }
	}
	if set.kinds[gk] {
		k := set.Kind(gk)
		s.look = func(content map[string]any) standing { return standingOf(content, k, c.options.Manager) }
	}
	c.mu.Lock()
	c.sources[gk] = s
	s.start(ctx, c.client)
	c.mu.Unlock()
}

// source returns the watch of a kind; nil without one.
func (c *Controller) source(gk schema.GroupKind) *source {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sources[gk]
}

// end stops to watch a kind.
func (c *Controller) end(gk schema.GroupKind) {
	c.mu.Lock()
	s := c.sources[gk]
	delete(c.sources, gk)
	c.mu.Unlock()
	if s != nil {
		s.end()
	}
}

// objects takes what is seen of objects.
type objects struct{ c *Controller }

func (s objects) put(o *seen) {
	c := s.c
	c.mu.RLock()
	set, graph, refers := c.set, c.graph, c.refers[o.GroupKind]
	c.mu.RUnlock()
	affected, chain, seen := s.take(set, graph, o)
	if seen {
		return // the answer to a write of ours, or a list that has nothing new
	}
	if set.kinds[o.GroupKind] && c.rivals.see(o.ID, o.standing) {
		c.recheck(o.GroupKind)
	}
	c.enqueueAfter(chain, affected...)
	if refers && len(affected) > 0 {
		for _, gk := range graph.References() {
			if c.source(gk) == nil {
				if _, answer := c.kinds.resolve(gk, nil); answer != absent {
					c.changed()
					return
				}
			}
		}
	}
}

// take compares an object with what is known of it and stores it, both at once: an answer to a write that is stored in between would make the
// object one that somebody else changed. It returns the objects to judge and how many of our own writes in a row led to that.
func (s objects) take(set managed, graph *relation.Graph, o *seen) (affected []relation.ID, chain int, known bool) {
	c := s.c
	if set.kinds[o.GroupKind] {
		c.taking.Lock()
		defer c.taking.Unlock()
	}
	old := graph.Get(o.ID)
	if old != nil && old.UID == o.UID && old.ResourceVersion == o.ResourceVersion && !o.anew {
		return nil, 0, true
	}
	newer := graph.Newer(o.Object)
	if old != nil && !o.anew && set.kinds[o.GroupKind] && old.UID == o.UID && newer {
		before, now := derivedPart(set.Kind(o.GroupKind), old.Content), derivedPart(set.Kind(o.GroupKind), o.Content)
		if !reflect.DeepEqual(before, now) && !c.breakers.ours(o.ID, now) {
			c.breakers.foreign(o.ID, o.ResourceVersion, o.standing.rival)
		}
	}
	if newer && c.breakers.during(o.ID, o.ResourceVersion) { // a watch that lags shows an earlier write during a later one
		chain = c.queue.chained(o.ID) + 1
	}
	return graph.Put(o.Object), chain, false
}

func (s objects) remove(id relation.ID) {
	c := s.c
	affected := c.current().Delete(id)
	c.queue.drop(id)
	c.forget(id)
	if c.rivals.forget(id) {
		c.recheck(id.GroupKind)
	}
	c.enqueue(affected...)
}

// enqueue makes objects of managed kinds dirty.
func (c *Controller) enqueue(ids ...relation.ID) { c.enqueueAfter(0, ids...) }

// enqueueAfter is enqueue with how many of our own writes in a row led to it.
func (c *Controller) enqueueAfter(chain int, ids ...relation.ID) {
	c.mu.RLock()
	set := c.set
	c.mu.RUnlock()
	kept := ids[:0:0]
	ready := map[schema.GroupKind]bool{}
	for _, id := range ids {
		gk := id.GroupKind
		if !set.kinds[gk] {
			continue
		}
		if _, known := ready[gk]; !known {
			ready[gk] = c.kindReady(set, gk)
		}
		if ready[gk] {
			kept = append(kept, id)
		}
	}
	c.queue.addAfter(chain, kept...)
}

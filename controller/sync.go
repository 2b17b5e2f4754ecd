// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/relation"
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

// sync makes what is watched what should be: it takes in catalogs that came or went, starts kinds that are served now and ends those
// that are not, or that nobody names.
func (c *Controller) sync(ctx context.Context) {
	if set, changed := c.catalogs.join(ctx, c.options.Catalogs); changed {
		c.endAll()
		if err := c.use(set); err != nil {
			c.log.Error("catalogs do not agree", "error", err)
		}
	}
	c.mu.RLock()
	set, graph, fields := c.set, c.graph, c.fields
	c.mu.RUnlock()
	wanted := map[schema.GroupKind]bool{}
	for _, gk := range slices.Concat(set.watched, graph.References()) {
		wanted[gk] = true
	}
	wanted[catalogKind] = true
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
		if answer != found || running != nil {
			continue
		}
		s := &source{kind: gk, served: how, sink: objects{c}, prune: fields.Prune, listed: c.Recheck}
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
		c.log.Info("watching", "kind", gk, "resource", how.resource)
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
	}
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
		c.Recheck() // what waited for its list
	}
}

// endAll stops to watch every kind with objects.
func (c *Controller) endAll() {
	c.mu.RLock()
	var all []schema.GroupKind
	for gk := range c.sources {
		if gk != catalogKind {
			all = append(all, gk)
		}
	}
	c.mu.RUnlock()
	for _, gk := range all {
		c.end(gk)
	}
}

// objects takes what is seen of objects.
type objects struct{ c *Controller }

func (s objects) put(o *seen) {
	c := s.c
	c.mu.RLock()
	set, graph, refers := c.set, c.graph, c.refers[o.GroupKind]
	c.mu.RUnlock()
	if old := graph.Get(o.ID); old != nil && old.UID == o.UID && old.ResourceVersion == o.ResourceVersion {
		return // the answer to a write of ours, or a list that has nothing new
	} else if old != nil && set.kinds[o.GroupKind] && old.UID == o.UID && graph.Newer(o.Object) &&
		!reflect.DeepEqual(derivedPart(set.Kind(o.GroupKind), old.Content), derivedPart(set.Kind(o.GroupKind), o.Content)) {
		c.breakers.foreign(o.ID, o.ResourceVersion, o.standing.rival)
	}
	affected := graph.Put(o.Object)
	if set.kinds[o.GroupKind] && c.rivals.see(o.ID, o.standing) {
		c.recheck(o.GroupKind)
	}
	c.enqueue(affected...)
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
	for _, id := range ids {
		if set.kinds[id.GroupKind] {
			kept = append(kept, id)
		}
	}
	c.queue.addAfter(chain, kept...)
}

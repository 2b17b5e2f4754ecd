// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/controller/internal/writeguard"

	"github.com/tristate/tristate/internal/declare/crd"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var catalogKind = schema.GroupKind{Group: "tristate.dev", Kind: catalog.DocumentKind}

// watchDefinitions starts to watch CustomResourceDefinitions and waits for the first list: without it nothing is known to be served.
// It returns nil when the context ends before.
func (c *Controller) watchDefinitions(ctx context.Context) *watchset.Source {
	ready, refused := make(chan struct{}), make(chan struct{}, 1)
	s := &watchset.Source{Kind: crd.Kind, Sink: definitions{c}, Served: watchset.Served{Resource: crd.Resource},
		Listed: func() { close(ready) },
		Failed: func() {
			select {
			case refused <- struct{}{}:
			default:
			}
		},
		Prune: func(_ schema.GroupKind, content map[string]any) map[string]any { return crd.Prune(content) }}
	s.Start(ctx, c.client)
	c.mu.Lock()
	c.definitions = s
	c.mu.Unlock()
	for {
		select {
		case <-ready:
			return s
		case <-refused:
			if _, err := s.State(); err != nil {
				c.log.Warn("cannot list CustomResourceDefinitions yet", "error", err)
			}
		case <-ctx.Done():
			s.Stop()
			<-s.Done
			return nil
		}
	}
}

// definitions receives definitions.
type definitions struct{ c *Controller }

func (d definitions) Put(o *watchset.Seen) {
	definition, err := crd.Read(o.Content)
	if err != nil { // no API server stores one like this
		d.Remove(o.ID)
		return
	}
	d.c.kinds.Define(definition)
	d.c.changed()
}

func (d definitions) Known(schema.GroupKind) []relation.ID {
	var out []relation.ID
	for _, name := range d.c.kinds.Crds.Names() {
		out = append(out, relation.ID{GroupKind: crd.Kind, Name: name})
	}
	return out
}

func (d definitions) Remove(id relation.ID) {
	d.c.kinds.Forget(id.Name)
	d.c.changed()
}

// sync starts and stops watches to match the catalogs and the kinds that the API server serves. Catalogs that came or went take effect.
func (c *Controller) sync(ctx context.Context) {
	complete := !c.kinds.Defined(catalogKind) || c.listed(catalogKind) // before its objects are read
	set, changed := c.catalogs.join(ctx, c.options.Catalogs.Compiled)

	c.gate.mu.Lock()
	change := c.same()
	if changed {
		if next, err := c.use(set); err != nil {
			c.log.Error("catalogs do not agree", "error", err)
		} else {
			change = next
		}
	}
	start, stop, replace := c.plan(change)
	for _, s := range slices.Concat(stop, replace) {
		s.Retire()
	}
	c.updateOpen(change.affects)
	c.gate.mu.Unlock()

	c.clear(ctx, change)
	for _, s := range stop {
		c.end(s)
	}
	for _, s := range replace {
		s.Stop()
		<-s.Done
	}

	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	for gk, how := range start {
		c.watch(ctx, gk, how, nil)
		c.log.Info("watching", "kind", gk, "resource", how.Resource)
	}
	for _, s := range replace {
		c.watch(ctx, s.Kind, s.How(), s)
	}
	if s := c.source(catalogKind); s != nil && !complete {
		_, err := s.State()
		complete = apierrors.IsForbidden(err) // its role is not meant to use them
	}
	c.gate.begun = c.gate.begun || complete
	c.updateOpen(nil)
}

// plan returns the kinds to start watching, and the watches to stop and to replace by others.
func (c *Controller) plan(change reload) (start map[schema.GroupKind]watchset.Served, stop, replace []*watchset.Source) {
	c.mu.RLock()
	set, sources := c.set, maps.Clone(c.sources)
	c.mu.RUnlock()
	start = map[schema.GroupKind]watchset.Served{}
	wanted := map[schema.GroupKind]bool{catalogKind: true}
	for _, gk := range slices.Concat(set.watched, c.graph.References()) {
		wanted[gk] = true
	}
	for gk := range wanted {
		var versions []string
		if k := set.Kind(gk); k != nil {
			versions = k.Versions
		}
		how, answer := c.kinds.Resolve(gk, versions)
		running := sources[gk]
		switch {
		case running == nil:
			if answer == watchset.Found {
				start[gk] = how
			}
		case answer == watchset.Absent:
			stop = append(stop, running)
			c.log.Info("kind is no longer served", "kind", gk)
		case answer == watchset.Found && running.How().Resource != how.Resource:
			stop = append(stop, running)
			start[gk] = how
		default:
			if answer == watchset.Found {
				running.Learn(how)
			}
			if change.outdates(gk) {
				replace = append(replace, running)
			}
		}
	}
	for gk, s := range sources {
		if !wanted[gk] {
			stop = append(stop, s)
		}
	}
	return start, stop, replace
}

// watch starts to watch a kind. before is the watch that it takes the place of; nil for none.
func (c *Controller) watch(ctx context.Context, gk schema.GroupKind, how watchset.Served, before *watchset.Source) {
	c.mu.RLock()
	set, fields := c.set, c.fields
	c.mu.RUnlock()
	s := &watchset.Source{Kind: gk, Served: how, Sink: objects{c}, Prune: fields.Prune, Graph: c.graph, Listed: c.arrived,
		Moved: c.queue.Nudge, Log: c.log}
	if before != nil {
		s.Anew = true
	}
	if gk == catalogKind {
		s.Sink, s.Graph, s.Listed, s.Failed = c.catalogs, nil, c.changed, c.changed
		s.Prune = func(_ schema.GroupKind, content map[string]any) map[string]any { return maps.Clone(content) }
	}
	if set.kinds[gk] {
		k := set.Kind(gk)
		if !k.Holds(how.Resource.Version) {
			c.log.Warn("kind is not written", "kind", gk, "reason", otherVersion(how.Resource.Version, k.Versions))
		}
		s.Look = func(content map[string]any) any {
			return writeguard.StandingOf(content, k, c.options.Manager)
		}
	}
	c.mu.Lock()
	c.sources[gk] = s
	s.Start(ctx, c.client)
	c.mu.Unlock()
}

// source returns the watch of a kind; nil without one.
func (c *Controller) source(gk schema.GroupKind) *watchset.Source {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sources[gk]
}

// end stops a watch and drops its objects.
func (c *Controller) end(s *watchset.Source) {
	c.mu.Lock()
	delete(c.sources, s.Kind)
	c.mu.Unlock()
	s.End()
}

// objects receives objects.
type objects struct{ c *Controller }

func (s objects) Put(o *watchset.Seen) {
	c, set := s.c, s.c.inForce()
	if o.Object == nil {
		o.Object = c.graph.Open(o.Entry)
	}
	affected, seen := s.take(set, o)
	if seen {
		return // the answer to a write of ours, or a list that has nothing new
	}
	if affected && set.refers[o.GroupKind] {
		for _, gk := range c.graph.References() {
			if c.source(gk) == nil {
				if _, answer := c.kinds.Resolve(gk, nil); answer != watchset.Absent {
					c.changed()
					return
				}
			}
		}
	}
}

// take compares an object with the stored one, stores it, and marks what it affects as dirty, in one step. If an answer to a write could be
// stored in between, it would look like a change by another writer. take reports whether the object affects any.
func (s objects) take(set managed, o *watchset.Seen) (affected, known bool) {
	c := s.c
	if set.kinds[o.GroupKind] {
		c.storing.Lock()
		defer c.storing.Unlock()
	}
	old := c.graph.Get(o.ID)
	if old != nil && old.UID == o.UID && old.ResourceVersion == o.ResourceVersion && !o.Anew {
		return false, true
	}
	newer := !o.Older(old)
	standing, _ := o.Facts.(writeguard.Standing)
	var derived []any
	changed := false
	if old != nil && !o.Anew && set.kinds[o.GroupKind] && old.UID == o.UID && newer {
		derived = writeguard.DerivedPart(set.Kind(o.GroupKind), o.Content)
		changed = !reflect.DeepEqual(writeguard.DerivedPart(set.Kind(o.GroupKind), old.Content), derived)
	}
	chain := 0
	if newer && c.breakers.Saw(o.ID, o.ResourceVersion, changed, derived, standing.Rival) {
		chain = c.queue.Chained(o.ID) + 1 // a watch that lags shows an earlier write during a later one
	}
	return c.store(o, chain), false
}

// store puts an object that was watched, or written, into the graph and makes what it affects dirty. chain is how many of our own writes in
// a row led to it. It reports whether the object affects any.
func (c *Controller) store(o *watchset.Seen, chain int) bool {
	ids := c.graph.PutEntry(o.Entry)
	// before anything of it is judged
	if standing, managed := o.Facts.(writeguard.Standing); managed && c.rivals.See(o.ID, standing) {
		c.recheck(o.GroupKind)
	}
	c.enqueueAfter(chain, ids...)
	return len(ids) > 0
}

func (s objects) Known(gk schema.GroupKind) []relation.ID { return s.c.graph.IDs(gk) }

func (s objects) Remove(id relation.ID) {
	c := s.c
	c.storing.Lock()
	affected := c.graph.Delete(id)
	c.storing.Unlock()
	c.queue.Drop(id)
	c.forget(id)
	if c.rivals.Forget(id) {
		c.recheck(id.GroupKind)
	}
	c.enqueue(affected...)
}

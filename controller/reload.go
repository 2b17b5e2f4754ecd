// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tristate/tristate/controller/internal/watchset"
	"github.com/tristate/tristate/controller/internal/writeguard"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// sweepRate is how many objects a second are relieved of conditions that are not declared any more.
const sweepRate = 50

// sweepRounds is how often a sweep looks for what is left.
const sweepRounds = 3

// reload is a change of the catalogs: those in force before, and now. It changes nothing if both are the same.
type reload struct {
	before, now             managed
	fieldsBefore, fieldsNow *relation.Fields   // that are kept of objects
	references              []schema.GroupKind // kinds that objects refer to by relations without a kind of their own
}

// same is no change.
func (c *Controller) same() reload {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return reload{before: c.set, now: c.set, fieldsBefore: c.fields, fieldsNow: c.fields}
}

// redeclares reports whether the catalogs of a kind are others.
func (r reload) redeclares(gk schema.GroupKind) bool {
	return r.before.Set != r.now.Set && !sameKinds(r.before.Set, r.now.Set, gk)
}

// outdates reports whether the watch of a kind must start again: other fields of it count, or its managed fields are read for other types.
func (r reload) outdates(gk schema.GroupKind) bool {
	return r.before.Set != r.now.Set && gk != catalogKind &&
		(!r.fieldsBefore.Covers(r.fieldsNow, gk) || (r.before.kinds[gk] || r.now.kinds[gk]) && r.redeclares(gk))
}

// affects reports whether objects of a kind must be judged again: its own catalogs changed, or the catalogs of a kind that it reads.
func (r reload) affects(gk schema.GroupKind) bool {
	if r.before.Set == r.now.Set {
		return false
	}
	return r.redeclares(gk) || slices.ContainsFunc(r.now.needs[gk], r.redeclares) || r.now.refers[gk] &&
		slices.ContainsFunc(r.references, r.redeclares)
}

// clear removes conditions that are no longer derived.
func (c *Controller) clear(ctx context.Context, change reload) {
	if change.before.Set == change.now.Set {
		return
	}
	c.mu.RLock()
	sources := maps.Clone(c.sources)
	c.mu.RUnlock()
	for gk, s := range sources {
		if gk == catalogKind {
			continue
		}
		swept := false
		if change.before.kinds[gk] {
			if dropped := droppedTypes(change.before.Set.Kind(gk), change.now, gk); dropped != nil {
				swept = c.sweep(ctx, s, gk, dropped)
			}
		}
		if !change.now.kinds[gk] && !swept { // a sweep does it at its end: until then the conditions are ours to take out
			c.rivals.Drop(gk)
		}
	}
}

// sameKinds reports whether two sets declare a kind alike.
func sameKinds(a, b *catalog.Set, gk schema.GroupKind) bool {
	of := func(s *catalog.Set) (out []*catalog.Kind) {
		for _, k := range s.Kinds() {
			if k.For == gk {
				out = append(out, k)
			}
		}
		return out
	}
	return slices.EqualFunc(of(a), of(b), func(a, b *catalog.Kind) bool {
		return a == b || a.Source == b.Source && len(a.Derivations) == len(b.Derivations) && slices.Equal(a.Relations, b.Relations)
	})
}

// droppedTypes declares what a declaration of a kind derived and is not derived any more; nil: nothing.
func droppedTypes(old *catalog.Kind, now managed, gk schema.GroupKind) *catalog.Kind {
	dropped := *old.Derived
	dropped.Types, dropped.Retired = nil, nil
	for _, t := range old.Derived.Types {
		if !t.Foreign && (!now.kinds[gk] || !writeguard.Derives(now.Set.Kind(gk), t.Name)) {
			dropped.Types = append(dropped.Types, t)
		}
	}
	if len(dropped.Types) == 0 {
		return nil
	}
	out := *old
	out.Derived = &dropped
	return &out
}

// sweep removes conditions that are not derived any more from the objects of a kind, at most [sweepRate] a second, during the other work.
// If the kind is still managed and its lists are merged by type, the next write does it, and the managed fields say which objects
// need one. It returns whether it has begun.
func (c *Controller) sweep(ctx context.Context, s *watchset.Source, gk schema.GroupKind, dropped *catalog.Kind) (begun bool) {
	target := targetOf(s, dropped)
	if c.inForce().kinds[gk] && target.ListMap || !c.rivals.Wrote(gk) {
		return false
	}
	objects := c.leftovers(dropped)
	c.sweeps.Add(1)
	c.log.Info("taking out what is not derived any more", "kind", gk, "objects", len(objects))
	go func() {
		defer c.queue.Nudge()
		defer c.sweeps.Add(-1)
		tick := time.NewTicker(time.Second / sweepRate)
		defer tick.Stop()
		for round := 1; len(objects) > 0; round++ {
			for _, o := range objects {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if c.derivesNow(gk, dropped) {
					return // the catalog is back
				}
				c.withdraw(ctx, target, o)
			}
			if round == sweepRounds {
				break
			}
			select { // what a write has brought back that was on its way is seen by then
			case <-ctx.Done():
				return
			case <-time.After(time.Duration(round) * time.Second):
			}
			objects = c.leftovers(dropped)
		}
		if !c.inForce().kinds[gk] {
			c.rivals.Drop(gk)
		}
	}()
	return true
}

// leftovers returns the objects of a kind with conditions that have to go. Conditions of other writers stay.
func (c *Controller) leftovers(dropped *catalog.Kind) []*relation.Object {
	var out []*relation.Object
	contested := c.breakers.Open()
	for _, o := range c.graph.List(dropped.For) {
		if _, other := contested[o.ID]; other {
			continue
		}
		if list, _ := wire.FromUnstructured(dropped.List(o.Content)); slices.ContainsFunc(list,
			func(one conditions.Condition) bool { return dropped.Derived.OwnedType(one.Type) != "" }) {
			out = append(out, &relation.Object{ID: o.ID, UID: o.UID, ResourceVersion: o.ResourceVersion, Generation: o.Generation})
		}
	}
	return out
}

// late takes out what a write brought back that was on its way while the catalogs changed: the sweep may have passed the object before it.
func (c *Controller) late(ctx context.Context, in derive.Input, target apply.Target) {
	if dropped := c.dropped(in.Kind, target); dropped != nil {
		target.Own = dropped.Derived
		c.withdraw(ctx, target, in.Self)
	}
}

// dropped declares what a declaration derived and has to go from its objects now; nil: nothing.
func (c *Controller) dropped(k *catalog.Kind, target apply.Target) *catalog.Kind {
	set := c.inForce()
	if set.kinds[k.For] && target.ListMap {
		return nil // the next write does it
	}
	return droppedTypes(k, set, k.For)
}

// withdraw takes conditions out of one object; where the API server does not answer, it tries for about a minute.
func (c *Controller) withdraw(ctx context.Context, target apply.Target, o *relation.Object) {
	for try := 1; ; try++ {
		unlock := c.turn(o.ID)
		_, err := c.writer.Withdraw(ctx, target, written(o), true, false)
		unlock()
		if err == nil || ctx.Err() != nil {
			return
		}
		c.metrics.failure(o.ID)
		if try == 15 || patience(err) != watchset.RetryLimit {
			c.log.Error("cannot remove conditions that are no longer derived", "object", o.ID, "error", err)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchset.RetryLimit):
		}
	}
}

// derivesNow reports whether any of the dropped types is derived again.
func (c *Controller) derivesNow(gk schema.GroupKind, dropped *catalog.Kind) bool {
	set := c.inForce()
	return set.kinds[gk] &&
		slices.ContainsFunc(dropped.Derived.Types, func(t conditions.Type) bool { return writeguard.Derives(set.Kind(gk), t.Name) })
}

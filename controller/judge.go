// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/controller/internal/watchset"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// judge derives the conditions of one object and writes them if they changed and may be written.
func (c *Controller) judge(ctx context.Context, id relation.ID) {
	begin := c.clock.Now()
	in, ok := c.gather(id, begin)
	if !ok {
		c.queue.Forget(id)
		return
	}
	in.NoCauses = true // the controller does not publish causes
	result := derive.Derive(in)
	c.metrics.pass(id, result.Changed, c.clock.Since(begin))
	c.report(id, result)
	if !result.RequeueAt.IsZero() {
		c.queue.AddAt(id, result.RequeueAt)
	}
	if !result.Changed && (result.Paused || !c.rivals.Leftover(id)) {
		c.failed(id, nil)
		c.queue.Forget(id)
		c.metrics.observe(in.Kind.Declaration, id, result.Conditions())
		if c.breakers.Settled(id, begin) {
			c.log.Info("writes are not reverted any more", "object", id)
		}
		return
	}
	target, ok := c.target(in.Kind)
	if !ok {
		return // no longer served; when it is again, the object comes again
	}
	if !c.may(id, target, in) {
		c.queue.Forget(id)
		return
	}
	c.write(ctx, in, target, result)
}

// may reports whether an object may be written now: no other manager writes its derived conditions, and earlier writes lasted.
func (c *Controller) may(id relation.ID, target apply.Target, in derive.Input) bool {
	if !c.options.adopts(in.Kind) {
		if why, refused := c.rivals.Refuse(id); refused {
			if why.Fresh && why.Kind {
				c.log.Warn("kind is not written", "kind", id.GroupKind, "reason", why.String())
			} else if why.Fresh {
				c.log.Warn("object is not written", "object", id, "reason", why.String())
				c.events.Warn(target, written(in.Self), "NotManaged", "Write", why.String())
			}
			return false
		}
	}
	until, opened := c.breakers.Ask(id, in.Now, c.queue.Chained(id))
	if until.IsZero() {
		return true
	}
	if opened != nil {
		text := "another writer reverts the derived conditions"
		switch {
		case opened.Circle:
			text = "the derived conditions change with each write of them, and with nothing else"
		case opened.By != "":
			text = opened.By + " reverts the derived conditions"
		}
		text += "; they are written again after growing pauses, of up to an hour"
		c.metrics.breakers.WithLabelValues(id.GroupKind.String()).Inc()
		c.log.Warn("writes do not last", "object", id, "reason", text, "until", until)
		c.events.Warn(target, written(in.Self), "WritesReverted", "Write", text)
	}
	c.queue.AddAt(id, until)
	return false
}

// write writes a changed pass and stores the answer.
func (c *Controller) write(ctx context.Context, in derive.Input, target apply.Target, result derive.Result) {
	id, chain := in.Self.ID, c.queue.Chained(in.Self.ID)
	if c.options.DryRun != nil {
		c.recordDryRun(in, target, result, chain)
		return
	}
	unlock := c.turn(id)
	if c.dropped(in.Kind, target) != nil {
		unlock()
		c.enqueue(id) // the catalogs have changed since it was judged
		return
	}
	c.breakers.Begin(id)
	result.Changed = true // or what is left of a former declaration goes with the same write
	out, err := c.writer.Apply(ctx, target, written(in.Self), result.Result, nil)
	unlock()
	if err != nil {
		c.breakers.Failed(id, result.Owned())
		c.breakers.End(id, "", chain, c.clock.Now())
		if ctx.Err() != nil {
			return
		}
		c.metrics.failure(id)
		c.failed(id, err)
		c.log.Error("write failed", "object", id, "error", err)
		c.queue.Retry(id, patience(err))
		return
	}
	c.failed(id, nil)
	c.queue.Forget(id)
	if out.Object == nil {
		c.breakers.End(id, "", chain, c.clock.Now())
		return
	}
	c.storing.Lock()
	look, otherwise := c.breakers.End(id, out.Object.GetResourceVersion(), chain, c.clock.Now())
	c.own(out.Object, in, chain)
	c.storing.Unlock()
	if otherwise {
		c.enqueue(id) // it was changed during the write
	}
	c.late(ctx, in, target)
	if !look.IsZero() {
		c.queue.AddAt(id, look)
	}
	c.metrics.writes.WithLabelValues(id.GroupKind.String()).Inc()
	out.Record(target, result.Conditions(), c.metrics.conditions, c.events)
	for _, t := range out.Transitions {
		c.log.Debug("transition", "object", id, "type", t.Type, "from", t.From.Status, "to", t.To.Status, "reason", t.To.Reason)
	}
}

// turns is how many objects are written at once, at most.
const turns = 256

// turn waits until no other goroutine writes an object, and returns the function that ends the turn: a pass and a sweep, or two sweeps,
// that read and then write it at once would each bring back what the other takes out.
func (c *Controller) turn(id relation.ID) (end func()) {
	key := id.String()
	c.writing.LockKey(key)
	return func() { _ = c.writing.UnlockKey(key) } // of a key that is locked it does not fail
}

// recordDryRun hands a changed pass to the caller of a dry run, and goes on as if it were written.
func (c *Controller) recordDryRun(in derive.Input, target apply.Target, result derive.Result, chain int) {
	c.queue.Forget(in.Self.ID)
	stored, _ := wire.FromUnstructured(in.Kind.List(in.Self.Content))
	before := slices.DeleteFunc(stored, func(one conditions.Condition) bool { return target.Own.OwnedType(one.Type) == "" })
	c.options.DryRun(in.Self.Ref(), before, result.Owned())
	c.enqueueAfter(chain+1, c.graph.Put(relation.FromContent(target.Preview(in.Self.Content, result.Owned())))...)
}

// failed notes the result of the last write of an object.
func (c *Controller) failed(id relation.ID, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		delete(c.failures, id)
		return
	}
	c.failures[id] = err.Error()
}

// forgetIfGone drops the notes of a pass about an object that was deleted meanwhile.
func (c *Controller) forgetIfGone(id relation.ID) {
	if c.graph.Get(id) == nil {
		c.forget(id)
	}
}

func (c *Controller) forget(id relation.ID) {
	c.metrics.gone(id)
	c.breakers.Forget(id)
	c.gate.forget(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.problems, id)
	delete(c.failures, id)
}

// written is an object as package apply wants it.
func written(o *relation.Object) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, UID: types.UID(o.UID), ResourceVersion: o.ResourceVersion,
		Generation: o.Generation}
}

// own stores the answer to a write, so that the next pass starts from it and not from what the watch has seen. chain is how many of our own
// writes in a row led to this one. The caller holds storing.
func (c *Controller) own(answer *unstructured.Unstructured, in derive.Input, chain int) {
	if now := c.graph.Get(in.Self.ID); now == nil || now.UID != string(answer.GetUID()) {
		return // deleted meanwhile
	}
	s := c.source(in.Kind.For)
	if s == nil {
		return // not watched any more
	}
	c.store(s.Read(answer.Object), chain+1)
}

// target returns how objects of a kind are written.
func (c *Controller) target(k *catalog.Kind) (apply.Target, bool) {
	s := c.source(k.For)
	if s == nil {
		return apply.Target{}, false
	}
	return targetOf(s, k), true
}

// targetOf returns how objects of a kind that is watched are written.
func targetOf(s *watchset.Source, k *catalog.Kind) apply.Target {
	how := s.How()
	return apply.Target{Resource: how.Resource, Kind: k.For.Kind, Namespaced: how.Namespaced, ListMap: how.ListMap(k.Path), Path: k.Path,
		Own: k.Derived}
}

// report logs what went wrong in a pass, once until it changes.
func (c *Controller) report(id relation.ID, result derive.Result) {
	var lines []string
	for _, p := range result.Problems {
		lines = append(lines, p.String())
	}
	if err := errors.Join(result.Errors...); err != nil {
		lines = append(lines, err.Error())
	}
	text := strings.Join(lines, "; ")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problems[id] == text {
		return
	}
	if text == "" {
		delete(c.problems, id)
		return
	}
	c.problems[id] = text
	c.log.Warn("pass with problems", "object", id, "problems", text)
}

// patience is how long a write waits at most before it is tried again. A refused write is not soon accepted; an API
// server that could not be asked may be back at any moment.
func patience(err error) time.Duration {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code >= 500 || apierrors.IsTooManyRequests(err) {
		return watchset.RetryLimit
	}
	return time.Minute
}

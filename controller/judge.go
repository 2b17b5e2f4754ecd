// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"strings"

	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/derive"
	"github.com/tristate/tristate/relation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// judge derives the conditions of one object and writes them if they changed.
func (c *Controller) judge(ctx context.Context, id relation.ID) {
	graph := c.current()
	begin := c.clock.Now()
	in, ok := derive.Gather(graph, id, begin)
	if !ok {
		c.queue.forget(id)
		return
	}
	if c.ignorant(graph, in) {
		c.queue.forget(id)
		return
	}
	in.NoCauses = true // nobody is told them
	in.Memory = c.memories.of(in.Kind, in.Self)
	result := derive.Derive(in)
	c.metrics.pass(id, result.Changed, c.clock.Since(begin))
	c.report(id, result)
	if !result.Next.IsZero() {
		c.queue.addAt(id, result.Next)
	}
	if !result.Changed {
		c.failed(id, nil)
		c.queue.forget(id)
		c.metrics.says(in.Kind.Declaration, id, result.Conditions)
		return
	}
	target, ok := c.target(in.Kind)
	if !ok {
		return // no longer served; when it is again, the object comes again
	}
	out, err := c.writer.Apply(ctx, target, written(in.Self), result.Result, nil)
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		c.metrics.failure(id)
		c.failed(id, err)
		c.log.Error("write failed", "object", id, "error", err)
		c.queue.retry(id)
		return
	}
	c.failed(id, nil)
	c.queue.forget(id)
	if out.Object == nil {
		return
	}
	c.own(graph, in.Self, out.Object.Object)
	c.metrics.wrote(in.Kind.Declaration, id, out.Transitions)
	c.metrics.says(in.Kind.Declaration, id, result.Conditions)
	c.metrics.conditions.EventsDropped(in.Kind.Declaration, c.events.Record(target, out.Object, out.Transitions))
	for _, t := range out.Transitions {
		c.log.Debug("transition", "object", id, "type", t.Type, "from", t.From.Status, "to", t.To.Status, "reason", t.To.Reason)
	}
}

// failed notes what came of the last write of an object.
func (c *Controller) failed(id relation.ID, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		delete(c.failures, id)
		return
	}
	c.failures[id] = err.Error()
}

// forgetIfGone takes out what a pass noted about an object that went meanwhile.
func (c *Controller) forgetIfGone(id relation.ID) {
	if c.current().Get(id) == nil {
		c.forget(id)
	}
}

func (c *Controller) forget(id relation.ID) {
	c.metrics.gone(id)
	c.memories.drop(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.problems, id)
	delete(c.failures, id)
}

// written is an object as package apply wants it.
func written(o *relation.Object) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, UID: types.UID(o.UID), ResourceVersion: o.ResourceVersion, Generation: o.Generation}
}

// own puts the answer to a write into the graph, so that the next pass starts from it and not from what the watch has seen.
func (c *Controller) own(graph *relation.Graph, before *relation.Object, content map[string]any) {
	c.mu.RLock()
	fields := c.fields
	c.mu.RUnlock()
	o := relation.FromContent(fields.Prune(before.GroupKind, content))
	if now := graph.Get(o.ID); now == nil || now.UID != o.UID {
		return // deleted meanwhile
	}
	c.enqueue(graph.Put(o)...)
}

// target tells how objects of a kind are written.
func (c *Controller) target(k *catalog.Kind) (apply.Target, bool) {
	how, ok := c.kinds.resolve(k.For, k.Versions)
	if !ok {
		return apply.Target{}, false
	}
	return apply.Target{Resource: how.resource, Kind: k.For.Kind, Namespaced: how.namespaced, ListMap: how.listMap(k.Path),
		Path: k.Path, Own: k.Derived}, true
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

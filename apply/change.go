// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// change is one change on its way to the API server.
type change struct {
	*Writer
	target Target
	object metav1.Object // as it was read

	own         []conditions.Condition
	result      conditions.Result // of the pass
	transitions []conditions.Transition
	fields      Fields

	latest   *unstructured.Unstructured // the object that own rests on, if it is newer than the one that was read
	attempts int
}

// write sends the change until the API server accepts it or there is nothing left of it: then the answer is nil.
func (c *change) write(ctx context.Context) (*unstructured.Unstructured, error) {
	send := c.locked
	if c.target.ListMap {
		send = c.serverSide
	}
	released := false
	for {
		if !c.target.ListMap && c.latest == nil {
			if left, err := c.read(ctx); err != nil || !left {
				return nil, err
			}
		}
		c.attempts++
		written, err := send(ctx)
		switch {
		case err == nil && c.target.ListMap:
			return c.settle(ctx, written)
		case apierrors.IsInvalid(err) && c.target.ListMap && !released:
			var failed error
			if released, failed = c.releaseShared(ctx); failed != nil || !released {
				return nil, cmp.Or(failed, err)
			}
			continue
		case !apierrors.IsConflict(err), recreated(err, c.object):
			return written, err
		}
		c.conflicts.Add(1)
		if c.attempts == attempts {
			return nil, err
		}
		if left, err := c.read(ctx); err != nil || !left {
			return nil, err
		}
	}
}

// read reads the object from the API server and puts the change on top of it. It reports whether anything is left of it.
func (c *change) read(ctx context.Context) (bool, error) {
	latest, err := c.live(ctx)
	if err != nil {
		return false, err
	}
	return c.rebase(latest)
}

// live returns the object as it is stored; one that was deleted and created again is not found.
func (c *change) live(ctx context.Context) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	latest, err := c.resource(c.target, c.object.GetNamespace()).Get(ctx, c.object.GetName(), metav1.GetOptions{})
	if uid := c.object.GetUID(); err == nil && uid != "" && latest.GetUID() != uid {
		return nil, apierrors.NewNotFound(c.target.Resource.GroupResource(), c.object.GetName())
	}
	return latest, err
}

// gone reports whether the object does not exist, by a read of its own: a write is also not found if its subresource or its definition is
// not served for a moment.
func (c *change) gone(ctx context.Context) bool {
	_, err := c.live(ctx)
	return apierrors.IsNotFound(err)
}

// restsOn returns the state of the object that the change rests on.
func (c *change) restsOn() metav1.Object {
	if c.latest != nil {
		return c.latest
	}
	return c.object
}

// serverSide applies all that is ours; see [Writer.Shared].
func (c *change) serverSide(ctx context.Context) (*unstructured.Unstructured, error) {
	t, metadata := c.target, map[string]any{"name": c.object.GetName()}
	if t.Namespaced {
		metadata["namespace"] = c.object.GetNamespace()
	}
	if uid := c.object.GetUID(); uid != "" {
		metadata["uid"] = string(uid)
	}
	if c.Shared {
		metadata["resourceVersion"] = c.restsOn().GetResourceVersion()
	}
	body := map[string]any{"apiVersion": t.Resource.GroupVersion().String(), "kind": t.Kind, "metadata": metadata}
	present := map[string]any(maps.Clone(c.fields))
	if maps.DeleteFunc(present, func(_ string, value any) bool { return value == nil }); len(present) > 0 {
		body["status"] = present
	}
	entries := make([]any, 0, len(c.own))
	for i, one := range c.own {
		if conditions.Find(c.own, one.Type) == i { // a kind written as a Go value may declare a type twice
			entries = append(entries, wire.ToUnstructured(one, t.Own.Dialect))
		}
	}
	t.with(body, entries)
	force := true
	return c.patch(ctx, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: c.manager(), Force: &force}, "status")
}

// locked replaces our entries in the list of the latest object, provided that it is still the latest.
func (c *change) locked(ctx context.Context) (*unstructured.Unstructured, error) {
	patch := map[string]any{"metadata": map[string]any{"resourceVersion": c.latest.GetResourceVersion()}}
	if len(c.fields) > 0 {
		patch["status"] = map[string]any(maps.Clone(c.fields)) // in a merge patch, too, nil takes a field away
	}
	c.target.with(patch, c.target.splice(c.target.list(c.latest.Object), c.own, false))
	return c.patch(ctx, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: c.manager()}, "status")
}

// answerLimit is how long a request may take with its answer: an API server itself ends one after a minute. Without it one whose answer has
// begun and never ends would keep the object from being written again.
const answerLimit = 75 * time.Second

func (c *change) patch(ctx context.Context, kind types.PatchType, body any, o metav1.PatchOptions,
	subresource ...string) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	if c.May != nil {
		if err := c.May(); err != nil {
			return nil, err
		}
	}
	c.writes.Add(1)
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return c.resource(c.target, c.object.GetNamespace()).Patch(ctx, c.object.GetName(), kind, data, o, subresource...)
}

// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// record is what the writer remembers of the last write of a child.
type record struct {
	uid     types.UID
	version string   // of the object when it was as the writer had left it
	hash    string   // of the intent
	applied [16]byte // hash of the fields that the writer owns and of their values, as the API server answered

	repairs []time.Time // the last ones
	hold    time.Duration
	until   time.Time // nothing is repaired until then
	fight   string    // who the other writer is
}

// newer reports whether the write is newer than an object of the cache.
func (r *record) newer(existing metav1.Object) bool {
	order, err := resourceversion.CompareResourceVersion(existing.GetResourceVersion(), r.version)
	return err == nil && order < 0
}

// recall returns the record of a child; nil: it was not written since the start.
func (c *Writer) recall(i *intent) *record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.written[i.of][i.ref]
}

// remember records an answer of the API server.
func (c *Writer) remember(i *intent, answer client.Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written == nil {
		c.written = map[identity]map[reference]*record{}
	}
	if c.written[i.of] == nil {
		c.written[i.of] = map[reference]*record{}
	}
	r := c.written[i.of][i.ref]
	if r == nil {
		r = &record{}
		c.written[i.of][i.ref] = r
	}
	r.uid, r.version, r.hash = answer.GetUID(), answer.GetResourceVersion(), i.hash
	if applied, err := c.holding(i, answer); err == nil { // otherwise the next pass finds a difference, and applies again
		r.applied = applied
	}
}

// kept reports whether a child is as the last write has left it: the fields that the writer owns, and their values. An edit under the name
// of the writer changes only the values.
func (c *Writer) kept(ctx context.Context, i *intent, r *record, existing client.Object) (bool, error) {
	if existing.GetResourceVersion() == r.version {
		return true, nil
	}
	if _, partial := existing.(*metav1.PartialObjectMetadata); partial {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(i.ref.GroupVersionKind)
		if err := c.Live.Get(ctx, i.ref.ObjectKey, live); err != nil {
			return false, unread(i, err)
		}
		existing = live
	}
	applied, err := c.holding(i, existing)
	if err != nil || applied != r.applied {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r.version = existing.GetResourceVersion()
	return true, nil
}

// forget drops the record of a child.
func (c *Writer) forget(i *intent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.written[i.of], i.ref)
}

// Forget drops everything that is remembered of the children of an owner that does not exist any more.
func (c *Writer) Forget(kind string, owner types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.written, identity{kind, owner.Namespace, owner.Name})
}

// SPDX-License-Identifier: Apache-2.0

package child

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// record is what the writer remembers of the last write of a child.
type record struct {
	uid     types.UID
	version string
	hash    string   // of the intent
	entry   [16]byte // hash of the managed fields that the API server recorded for the writer

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
func (c *Writer) remember(i *intent, answer metav1.Object) {
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
	r.uid, r.version, r.hash, r.entry = answer.GetUID(), answer.GetResourceVersion(), i.hash, entryHash(answer, c.Manager)
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

// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A status that others change five times in a minute is looked at after half a minute only, so that two writers do not take turns without a
// pause.
const (
	takenOften  = 5
	takenWindow = time.Minute
	takenDelay  = 30 * time.Second
)

// corrections enqueues an object whose status another writer has changed or removed: the API server takes a field that another writer sets
// to another value, or removes, out of the managed fields of the operator.
type corrections struct {
	handler.Funcs
	manager string
	kind    string
	metrics *Metrics

	mu    sync.Mutex
	times map[types.NamespacedName][]time.Time // of the last updates
}

// Update implements [handler.EventHandler].
func (c *corrections) Update(_ context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	if e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || !Corrected(e.ObjectOld, e.ObjectNew, c.manager) {
		return
	}
	name := client.ObjectKeyFromObject(e.ObjectNew)
	if c.metrics != nil {
		c.metrics.taken.WithLabelValues(c.kind).Inc()
	}
	request := reconcile.Request{NamespacedName: name}
	if c.often(name, time.Now()) {
		q.AddAfter(request, takenDelay)
		return
	}
	q.Add(request)
}

// often records an update and reports whether there were too many.
func (c *corrections) often(name types.NamespacedName, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[types.NamespacedName][]time.Time{}
	}
	for other, times := range c.times { // few objects have any
		times = slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) >= takenWindow })
		if c.times[other] = times; len(times) == 0 {
			delete(c.times, other)
		}
	}
	c.times[name] = append(c.times[name], now)
	return len(c.times[name]) > takenOften
}

// Corrected reports whether another writer has changed or removed fields of the status that a manager has applied, by the managed fields of
// two states of an object. A write of the manager itself moves the time of its entry. It is for kinds that the operator watches by other
// means than [Setup].
func Corrected(before, after metav1.Object, manager string) bool {
	was, is := statusEntry(before, manager), statusEntry(after, manager)
	switch {
	case was == nil:
		return false
	case is == nil:
		return true
	case bytes.Equal(was.FieldsV1.GetRawBytes(), is.FieldsV1.GetRawBytes()) || !was.Time.Equal(is.Time):
		return false
	}
	var had, has fieldpath.Set
	if had.FromJSON(was.FieldsV1.GetRawReader()) != nil || has.FromJSON(is.FieldsV1.GetRawReader()) != nil {
		return true
	}
	return !had.Difference(&has).Empty()
}

// statusEntry returns the managed fields of the status that a manager has applied; nil: none.
func statusEntry(o metav1.Object, manager string) *metav1.ManagedFieldsEntry {
	fields := o.GetManagedFields()
	for n := range fields {
		if e := &fields[n]; e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == "status" &&
			e.FieldsV1 != nil {
			return e
		}
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// collecting is how long statuses that others write are collected before the instances of their kind are reconciled again.
const collecting = 5 * time.Second

// Hands notices statuses of instances that others have written or removed: the informers of kro pass on changes of a spec alone. It keeps
// of each instance who owns which field of its status.
type Hands struct {
	Client metadata.Interface

	mu    sync.Mutex
	kinds map[schema.GroupVersionResource]context.CancelFunc
}

// watch starts to look at a kind, once. again is called when the status of an instance was changed, and not more often than every
// [collecting].
func (h *Hands) watch(gvr schema.GroupVersionResource, again func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.kinds[gvr] != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	if h.kinds == nil {
		h.kinds = map[schema.GroupVersionResource]context.CancelFunc{}
	}
	h.kinds[gvr] = cancel
	informer := metadatainformer.NewFilteredMetadataInformer(h.Client, gvr, metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
	_ = informer.SetTransform(statusOwners) // an error only where it runs already
	var once sync.Mutex
	waits := false
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		b, ok := before.(*metav1.PartialObjectMetadata)
		a, both := after.(*metav1.PartialObjectMetadata)
		once.Lock()
		defer once.Unlock()
		if !ok || !both || waits || !byOthers(b, a) {
			return
		}
		waits = true
		time.AfterFunc(collecting, func() {
			once.Lock()
			waits = false
			once.Unlock()
			if ctx.Err() == nil {
				again()
			}
		})
	}})
	go informer.RunWithContext(ctx)
}

// leave ends that.
func (h *Hands) leave(gvr schema.GroupVersionResource) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.kinds[gvr]; cancel != nil {
		cancel()
		delete(h.kinds, gvr)
	}
}

// statusOwners drops everything but the name of an object and who owns its status.
func statusOwners(o any) (any, error) {
	m, ok := o.(*metav1.PartialObjectMetadata)
	if !ok {
		return o, nil
	}
	return &metav1.PartialObjectMetadata{TypeMeta: m.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, UID: m.UID,
		ResourceVersion: m.ResourceVersion, ManagedFields: ofStatus(m)}}, nil
}

func ofStatus(o metav1.Object) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(slices.Clone(o.GetManagedFields()), func(e metav1.ManagedFieldsEntry) bool { return e.Subresource != "status" })
}

// byOthers reports whether another writer than the operator wrote the status of an object. Who writes gets the time of the write; from the
// others, fields are moved without a new time.
func byOthers(before, after metav1.Object) bool {
	was, is := ofStatus(before), ofStatus(after)
	same := func(a metav1.ManagedFieldsEntry) func(metav1.ManagedFieldsEntry) bool {
		return func(b metav1.ManagedFieldsEntry) bool { return a.Manager == b.Manager && a.Operation == b.Operation }
	}
	for _, e := range is {
		i := slices.IndexFunc(was, same(e))
		own := e.Manager == Manager && e.Operation == metav1.ManagedFieldsOperationApply
		switch {
		case i < 0 && own:
		case i < 0:
			return true
		case own && e.Time.Equal(was[i].Time) && e.FieldsV1 != nil && was[i].FieldsV1 != nil &&
			!bytes.Equal(e.FieldsV1.GetRawBytes(), was[i].FieldsV1.GetRawBytes()):
			return true
		case !own && !e.Time.Equal(was[i].Time):
			return true
		}
	}
	return slices.ContainsFunc(was, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == Manager && !slices.ContainsFunc(is, same(e))
	})
}

// spoilt passes updates of definitions whose status another writer wrote.
var spoilt = predicate.Funcs{
	CreateFunc:  func(event.CreateEvent) bool { return false },
	DeleteFunc:  func(event.DeleteEvent) bool { return false },
	GenericFunc: func(event.GenericEvent) bool { return false },
	UpdateFunc:  func(e event.UpdateEvent) bool { return byOthers(e.ObjectOld, e.ObjectNew) },
}

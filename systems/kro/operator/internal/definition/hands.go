// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/operator"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// collecting is how long statuses that others write are collected before the instances of their kind are reconciled again.
const collecting = 5 * time.Second

// Hands notices statuses of instances that others have changed or removed: the informers of kro pass on changes of a spec alone. It keeps
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
		if !ok || !both || waits || !operator.Corrected(b, a, Manager) {
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
		ResourceVersion: m.ResourceVersion, ManagedFields: slices.DeleteFunc(slices.Clone(m.ManagedFields),
			func(e metav1.ManagedFieldsEntry) bool { return e.Subresource != "status" })}}, nil
}

// SPDX-License-Identifier: Apache-2.0

package enqueue

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Signal wakes objects for what no watch shows: the answer of a partner, a clock that was moved. Unlike a channel it never blocks who
// wakes: before a controller runs, and after it has ended, a wake is dropped, because a controller that starts reconciles every object. The
// zero value is ready; it is for concurrent use.
type Signal struct {
	mu      sync.Mutex
	sources []func(types.NamespacedName)
}

// Source is what a controller watches. The handler maps a wake to requests; the object that it gets has a namespace and a name, and nothing
// else. Each source of a signal gets every wake.
func (s *Signal) Source(h handler.EventHandler) source.Source {
	return source.Func(func(ctx context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sources = append(s.sources, func(name types.NamespacedName) {
			if ctx.Err() == nil {
				h.Generic(ctx, event.GenericEvent{Object: &metav1.PartialObjectMetadata{
					ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}}, q)
			}
		})
		return nil
	})
}

// Wake wakes what the handlers make of a name. They run in the goroutine of the caller, which holds no lock that they need.
func (s *Signal) Wake(name types.NamespacedName) {
	s.mu.Lock()
	sources := s.sources
	s.mu.Unlock()
	for _, wake := range sources {
		wake(name)
	}
}

// SPDX-License-Identifier: Apache-2.0

package enqueue_test

import (
	"context"
	"testing"

	"github.com/tristate/tristate/operator/enqueue"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestSignal: every source gets each wake while its controller runs; before and after, who wakes is not blocked, however often.
func TestSignal(t *testing.T) {
	queue := func() workqueue.TypedRateLimitingInterface[reconcile.Request] {
		return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	}
	s, name := &enqueue.Signal{}, types.NamespacedName{Namespace: "team", Name: "app"}
	first, second := queue(), queue()
	ending, end := context.WithCancel(t.Context())
	s.Wake(name)
	for q, ctx := range map[workqueue.TypedRateLimitingInterface[reconcile.Request]]context.Context{first: ending, second: t.Context()} {
		if err := s.Source(&handler.EnqueueRequestForObject{}).Start(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	if n := first.Len() + second.Len(); n != 0 {
		t.Errorf("%d requests before a wake", n)
	}
	s.Wake(name)
	for _, q := range []workqueue.TypedRateLimitingInterface[reconcile.Request]{first, second} {
		if q.Len() != 1 {
			t.Fatalf("%d requests after a wake, want 1", q.Len())
		}
		if got, _ := q.Get(); got.NamespacedName != name {
			t.Errorf("%s is woken, want %s", got, name)
		}
	}
	end()
	for range 5000 {
		s.Wake(types.NamespacedName{Namespace: "team", Name: "other"})
	}
	if first.Len() != 0 || second.Len() != 1 {
		t.Errorf("%d requests in the queue of the controller that has ended, %d in that of the other; want 0 and 1", first.Len(), second.Len())
	}
}

// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// backoff is the rate limiter of a queue: exponential for each object, from 5 ms to 1000 s, but never past the moment at which a deadline
// of the object passes. After that moment it goes on as usual.
type backoff struct {
	workqueue.TypedRateLimiter[reconcile.Request]
	now func() time.Time

	mu   sync.Mutex
	next map[reconcile.Request]time.Time // deadlines
}

func newBackoff(now func() time.Time) *backoff {
	return &backoff{TypedRateLimiter: workqueue.DefaultTypedControllerRateLimiter[reconcile.Request](), now: now,
		next: map[reconcile.Request]time.Time{}}
}

// When implements [workqueue.TypedRateLimiter].
func (b *backoff) When(r reconcile.Request) time.Duration {
	wait := b.TypedRateLimiter.When(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, ok := b.next[r]; ok {
		if left := at.Sub(b.now()); left > 0 && left < wait {
			return left
		}
	}
	return wait
}

// due records when a deadline of an object passes; the zero time: none does.
func (b *backoff) due(r reconcile.Request, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at.IsZero() {
		delete(b.next, r)
	} else {
		b.next[r] = at
	}
}

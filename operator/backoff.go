// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
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

// wait returns the answer to the queue after a pass.
func (r *Reconciler[T, F]) wait(request ctrl.Request, j judgement, err error, now time.Time) (ctrl.Result, error) {
	advice := j.result.Advice(err)
	if err != nil {
		return ctrl.Result{RequeueAfter: advice.Wait(now)}, advice.Err
	}
	after := advice.Wait(now)
	if advice.Err != nil {
		after = sooner(after, time.Duration(float64(r.retries.When(request))*(0.8+0.4*rand.Float64())))
	} else {
		r.retries.Forget(request)
	}
	if !j.Again.IsZero() {
		after = sooner(after, max(j.Again.Sub(now), time.Second))
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// sooner returns the shorter of two times; zero is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

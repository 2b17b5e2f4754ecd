// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"math/rand/v2"
	"time"

	"github.com/tristate/tristate/conditions"
	ctrl "sigs.k8s.io/controller-runtime"
)

// wait returns the answer to the queue after a pass.
func (r *Reconciler[T, F]) wait(j judgement, err error, now time.Time) (ctrl.Result, error) {
	advice := j.result.Advice(err)
	if err != nil {
		return ctrl.Result{RequeueAfter: advice.Wait(now)}, advice.Err
	}
	after := advice.Wait(now)
	if advice.Err != nil {
		after = sooner(after, time.Duration(float64(r.retry(j.result.Conditions))*(0.8+0.4*rand.Float64())))
	}
	if !j.Again.IsZero() {
		after = sooner(after, max(j.Again.Sub(now), time.Second))
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// retry returns the shortest time of the reasons that are stored.
func (r *Reconciler[T, F]) retry(list []conditions.Condition) time.Duration {
	var least time.Duration
	for _, c := range list {
		least = sooner(least, r.Kind.Retry[c.Reason])
	}
	return sooner(Retry, least)
}

// sooner returns the shorter of two times; zero is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

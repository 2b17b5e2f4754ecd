// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"math/rand/v2"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

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

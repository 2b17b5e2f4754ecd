// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"math/rand/v2"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Waiting is how long a wait has lasted.
type Waiting struct {
	Since    time.Time
	Until    time.Time // when it will time out; zero: it has
	TimedOut bool
}

// Waited reports whether a wait is over its budget. since is when it began, by the stored status, if the same wait goes on; nil: it begins
// now. A condition's lastTransitionTime does not serve: it moves with the status only, and one wait may follow another under the same status.
func Waited(since *metav1.Time, budget time.Duration, now time.Time) Waiting {
	w := Waiting{Since: now.Truncate(time.Second)}
	if since != nil {
		w.Since = since.Time
	}
	if end := w.Since.Add(budget); now.Before(end) {
		w.Until = end
	} else {
		w.TimedOut = true
	}
	return w
}

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

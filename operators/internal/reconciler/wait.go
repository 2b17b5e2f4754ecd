// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"math/rand/v2"
	"time"

	"github.com/tristate/tristate/conditions"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Waiting is how long a wait has lasted, by the stored conditions.
type Waiting struct {
	TimedOut bool
	Until    time.Time // when it will time out; zero: it has, or it has not begun
}

// Wait is a wait with a budget: a condition is True with Reason while it goes on, and False with TimedOut once it took too long. Waiting
// goes on even then.
type Wait struct {
	Type, Reason, TimedOut string
	Budget                 time.Duration
}

// Waited reports by the stored conditions whether a wait is over its budget: the condition was True with the reason for that long, or has
// timed out and the same wait goes on. fresh says that another wait begins: nothing stored counts for it.
func (w Wait) Waited(stored []metav1.Condition, fresh bool, now time.Time) Waiting {
	c := meta.FindStatusCondition(stored, w.Type)
	if c == nil || fresh {
		return Waiting{}
	}
	end := c.LastTransitionTime.Add(w.Budget)
	switch {
	case c.Reason == w.TimedOut:
		return Waiting{TimedOut: true}
	case c.Reason == w.Reason && !now.Before(end):
		return Waiting{TimedOut: true}
	case c.Reason == w.Reason:
		return Waiting{Until: end}
	}
	return Waiting{}
}

// wait is what the queue is to do after a pass.
func (r *Reconciler[T, F]) wait(j Judgement, err error, now time.Time) (ctrl.Result, error) {
	advice := j.Result.Advice(err)
	if err != nil {
		return ctrl.Result{RequeueAfter: advice.Wait(now)}, advice.Err
	}
	after := advice.Wait(now)
	if advice.Err != nil {
		after = sooner(after, time.Duration(float64(r.retry(j.Result.Conditions))*(0.8+0.4*rand.Float64())))
	}
	for _, c := range j.Result.Conditions {
		if budget := r.Kind.Budgets[c.Type]; budget > 0 && c.Status == conditions.True {
			if end := c.LastTransitionTime.Add(budget); end.After(now) {
				after = sooner(after, end.Sub(now))
			}
		}
	}
	if !j.Again.IsZero() {
		after = sooner(after, max(j.Again.Sub(now), time.Second))
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// retry is the shortest time of the reasons that are stored.
func (r *Reconciler[T, F]) retry(list []conditions.Condition) time.Duration {
	var least time.Duration
	for _, c := range list {
		least = sooner(least, r.Kind.Retry[c.Reason])
	}
	return sooner(Retry, least)
}

// sooner is the shorter of two times; zero is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"time"
)

// Advice is the answer of a reconciler to its queue.
//
//	advice := result.Advice(err)
//	return ctrl.Result{RequeueAfter: advice.Wait(now)}, advice.Err
type Advice struct {
	// Class is the most pressing of the error and of what the conditions say: transient, progress, terminal, suspended, ok.
	Class Class
	// Err makes the queue back off; nil: the object is reconciled again when something changes, or at At.
	Err error
	// At is when to look again; zero: not because of time.
	At time.Time
}

// Wait returns the time until At: 0 if At is not set, and a second if it has passed.
func (a Advice) Wait(now time.Time) time.Duration {
	if a.At.IsZero() {
		return 0
	}
	return max(a.At.Sub(now), time.Second)
}

// Advice maps the error of a reconcile and the conditions that it left to an action of its queue:
//
//   - a transient error, or one without a class, backs off, unless it says itself when to try again ([Fault]);
//   - a terminal error is not returned: no retry helps, and a change of the object brings it back;
//   - without an error, an owned condition of class transient backs off with an error that names it: whoever reported it said
//     that it will be retried. One whose reason has a Retry is looked at again after that time instead;
//   - progress, terminal, suspended and ok wait for a change;
//   - deadlines and dwell add the time to look again, also to an error: wait for the shorter of the two.
//
// Dependents decide, not the summaries that repeat them.
func (r Result) Advice(err error) Advice {
	a := Advice{Class: classOf(err), At: r.RequeueAt}
	if err != nil {
		all := faults(err)
		if len(all) == 0 {
			a.Err = err // cancelled: the queue is shutting down
		}
		for _, f := range all {
			switch at := time.Unix(r.now, 0).UTC().Add(f.After); {
			case f.class() != ClassTransient:
			case f.After <= 0 || r.kind == nil:
				a.Err = err
			case a.At.IsZero() || at.Before(a.At):
				a.At = at
			}
		}
		return a
	}
	if r.kind == nil {
		return a
	}
	for i := range r.kind.Types {
		t := &r.kind.Types[i]
		at := r.find(i)
		if t.Foreign || t.Summary != nil || at < 0 || r.kind.abnormal(i) {
			continue
		}
		c := r.at(at)
		cell := t.reason(c.Reason, c.Status)
		if cell < 0 || urgency(t.Reasons[cell].Class) >= urgency(a.Class) {
			continue
		}
		if a.Class = t.Reasons[cell].Class; a.Class == ClassTransient && !r.asked && t.Reasons[cell].Retry == 0 {
			a.Err = fmt.Errorf("%s: condition %s is %s: %s: %s", r.kind.Kind, c.Type, c.Status, c.Reason, c.Message)
		}
	}
	return a
}

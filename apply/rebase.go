// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rebase puts the change on top of a newer state of the object, and tells whether anything is left of it.
func (c *change) rebase(latest *unstructured.Unstructured) bool {
	stored, _ := conditions.FromUnstructured(c.target.list(latest.Object)) // faults of ours differ, those of others are theirs
	before := c.target.ours(stored)
	c.latest, c.own = latest, c.target.carry(before, c.own, c.object.GetGeneration(), c.now())
	c.transitions = c.target.transitions(before, c.own)
	return !same(before, c.own) || c.fields.differIn(latest.Object)
}

// carry gives the conditions that a pass over an older list would have come to over the stored one: a status that is stored already keeps
// its time, another one gets the time now, and what a newer generation left is kept.
func (t Target) carry(stored, own []conditions.Condition, generation int64, now time.Time) []conditions.Condition {
	next := make([]conditions.Condition, 0, len(own))
	for _, one := range own {
		i := t.find(stored, one.Type)
		switch {
		case i < 0:
		case t.newer(stored[i], max(generation, one.ObservedGeneration)):
			one = stored[i]
		case stored[i].Status == one.Status && !stored[i].LastTransitionTime.IsZero():
			one.LastTransitionTime = stored[i].LastTransitionTime
		case one.LastTransitionTime.Time.Before(stored[i].LastTransitionTime.Time):
			one.LastTransitionTime = metav1.Time{Time: now.Truncate(time.Second)}
		}
		next = append(next, one)
	}
	for _, one := range stored {
		if t.find(next, one.Type) < 0 && t.newer(one, generation) {
			next = append(next, one)
		}
	}
	return next
}

// newer tells whether a condition was observed at a newer generation.
func (t Target) newer(c conditions.Condition, generation int64) bool {
	return t.Own.Dialect.Generations() && c.ObservedGeneration > generation
}

// transitions are the changes of status between two lists, in declared order.
func (t Target) transitions(before, after []conditions.Condition) []conditions.Transition {
	var out []conditions.Transition
	for i := range t.Own.Types {
		declared := &t.Own.Types[i]
		tr := conditions.Transition{Type: declared.Name}
		if at := t.find(before, declared.Name); at >= 0 {
			tr.From = before[at]
		}
		if at := t.find(after, declared.Name); at >= 0 {
			tr.To = after[at]
		}
		if declared.Foreign || tr.From.Status == tr.To.Status {
			continue
		}
		tr.Severity = tr.To.Severity
		for _, reason := range declared.Reasons {
			if reason.Name == tr.To.Reason && reason.Status == tr.To.Status {
				tr.Class = reason.Class
				if tr.Severity == conditions.SeverityNone {
					tr.Severity = reason.Severity
				}
				break
			}
		}
		out = append(out, tr)
	}
	return out
}

// same compares two lists without regard to their order.
func same(a, b []conditions.Condition) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		j := conditions.Find(b, a[i].Type)
		if j < 0 || !equal(a[i], b[j]) {
			return false
		}
	}
	return true
}

// equal compares as an API server does: the same instant in another zone is no difference.
func equal(a, b conditions.Condition) bool {
	if !a.LastTransitionTime.Time.Equal(b.LastTransitionTime.Time) {
		return false
	}
	a.LastTransitionTime = b.LastTransitionTime
	return a == b
}

// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rebase puts the change on top of a newer state of the object, and reports whether anything is left of it. It fails with a conflict
// if the pass left conditions as it had read them and something else is stored of them by now: they, and the summaries over them, would go
// back to what they were.
func (c *change) rebase(latest *unstructured.Unstructured) (left bool, err error) {
	// a faulty entry of ours counts as a difference; faults of others are not ours
	stored, _ := wire.FromUnstructured(c.target.list(latest.Object))
	before := slices.DeleteFunc(stored, func(one conditions.Condition) bool { return c.target.Own.OwnedType(one.Type) == "" })
	if moved := c.moved(before); len(moved) > 0 {
		return false, apierrors.NewConflict(c.target.Resource.GroupResource(), c.object.GetName(),
			fmt.Errorf("%s changed after the object was read, and the pass reported nothing about it", strings.Join(moved, ", ")))
	}
	c.latest, c.own = latest, c.target.rebased(before, c.own, c.object.GetGeneration(), c.now())
	c.transitions = c.target.transitions(before, c.own)
	return !same(before, c.own) || c.fields.differIn(latest.Object), nil
}

// moved returns the types that the pass did not report and that are stored otherwise than it read them. A condition of a newer
// generation is kept in any case.
func (c *change) moved(stored []conditions.Condition) []string {
	var out []string
	for _, name := range c.result.Unreported() {
		had, has := c.target.find(c.own, name), c.target.find(stored, name)
		switch {
		case had < 0 && has < 0:
			continue
		case had >= 0 && has >= 0:
			a, b := c.own[had], stored[has]
			if a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message ||
				c.target.newer(b, max(c.object.GetGeneration(), a.ObservedGeneration)) {
				continue
			}
		case has >= 0 && c.target.newer(stored[has], c.object.GetGeneration()):
			continue
		}
		out = append(out, name)
	}
	return out
}

// rebased returns the conditions that the pass would have produced from the stored list: a status that is stored already keeps
// its time, unless that is in the future; another one gets the time now, and a condition of a newer generation is kept.
func (t Target) rebased(stored, own []conditions.Condition, generation int64, now time.Time) []conditions.Condition {
	next := make([]conditions.Condition, 0, len(own))
	for _, one := range own {
		i := t.find(stored, one.Type)
		switch {
		case i < 0:
		case t.newer(stored[i], max(generation, one.ObservedGeneration)):
			one = stored[i]
		case stored[i].Status == one.Status && !stored[i].LastTransitionTime.IsZero() && !stored[i].LastTransitionTime.After(now):
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

// newer reports whether a condition was observed at a newer generation.
func (t Target) newer(c conditions.Condition, generation int64) bool {
	return t.Own.Dialect.Generations() && c.ObservedGeneration > generation
}

// transitions are the changes of status between two lists, in declared order.
func (t Target) transitions(before, after []conditions.Condition) []conditions.Transition {
	entry := func(list []conditions.Condition, name string) *conditions.Condition {
		if at := t.find(list, name); at >= 0 {
			return &list[at]
		}
		return nil
	}
	var out []conditions.Transition
	for i := range t.Own.Types {
		declared := &t.Own.Types[i]
		if tr, changed := declared.Transition(entry(before, declared.Name), entry(after, declared.Name)); changed && !declared.Foreign {
			out = append(out, tr)
		}
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

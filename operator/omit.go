// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// without returns a result without the conditions that an operator leaves out: their types are absent, as if the pass had nothing to say
// about them. stored and waits are the lists that the pass rests on.
func without(result conditions.Result, stored []metav1.Condition, waits []conditions.Wait,
	leave func(conditions.Condition) bool) conditions.Result {
	if leave == nil || !slices.ContainsFunc(result.Owned, leave) {
		return result
	}
	result.Owned = slices.DeleteFunc(slices.Clone(result.Owned), leave)
	result.Conditions = slices.DeleteFunc(slices.Clone(result.Conditions), leave)
	result.Transitions = slices.DeleteFunc(slices.Clone(result.Transitions), func(t conditions.Transition) bool { return leave(t.To) })
	result.Changed = len(result.Conditions) != len(stored) || !slices.EqualFunc(result.Waits, waits, conditions.Wait.Equal) ||
		slices.ContainsFunc(result.Conditions, func(c conditions.Condition) bool {
			return !slices.ContainsFunc(stored, func(s metav1.Condition) bool {
				return s.Type == c.Type && s.Status == c.Condition.Status && s.Reason == c.Reason && s.Message == c.Message &&
					s.ObservedGeneration == c.ObservedGeneration && s.LastTransitionTime.Equal(&c.LastTransitionTime)
			})
		})
	return result
}

// waitsOf returns the stored waits of an object whose kind stores them, and otherwise those of the result.
func waitsOf(k *conditions.Kind, object any, result conditions.Result) []conditions.Wait {
	if o, ok := object.(interface{ GetWaits() []conditions.Wait }); ok && k.StatusWaits {
		return o.GetWaits()
	}
	return result.Waits
}

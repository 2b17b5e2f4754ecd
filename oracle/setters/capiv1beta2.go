// SPDX-License-Identifier: Apache-2.0

package setters

import (
	"slices"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetCAPIv1beta2 returns the list with the condition set as Cluster API v1beta2's setter does it, for programs that must write
// what that library writes: observed at the given generation; the time, in whole seconds, is the one that it brings or now,
// and moves only with the status. A list that changes is sorted: what matters most to people first, Paused and Deleting last,
// types that the order does not know between them by name. The given list is not changed.
func SetCAPIv1beta2(list []conditions.Condition, c conditions.Condition, generation int64, now time.Time) []conditions.Condition {
	c.ObservedGeneration = generation
	out, changed := put(list, c, now)
	if changed {
		sortCAPIv1beta2(out)
	}
	return out
}

// put returns the list with the condition in its place, or behind the others, and reports whether anything but times differs.
// The time moves with the status only.
func put(list []conditions.Condition, c conditions.Condition, now time.Time) ([]conditions.Condition, bool) {
	if c.LastTransitionTime.IsZero() {
		c.LastTransitionTime = metav1.Time{Time: now.UTC()}
	}
	c.LastTransitionTime.Time = c.LastTransitionTime.Truncate(time.Second)
	i := conditions.Find(list, c.Type)
	if i < 0 {
		return append(slices.Clip(list), c), true
	}
	old := &list[i]
	if old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	if sameState(old, &c, true) {
		return list, false
	}
	out := slices.Clone(list)
	out[i] = c
	return out, true
}

// sameState reports whether two conditions say the same, whenever they came to it.
func sameState(a, b *conditions.Condition, generation bool) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Severity == b.Severity && a.Reason == b.Reason && a.Message == b.Message &&
		(!generation || a.ObservedGeneration == b.ObservedGeneration)
}

// sortCAPIv1beta2 sorts a list in the order in which a pass of dialect capi-v1beta2 writes the types that it owns.
func sortCAPIv1beta2(list []conditions.Condition) {
	kind := &conditions.Kind{Dialect: conditions.DialectCAPIv1beta2}
	for i := range list {
		if conditions.Find(list, list[i].Type) == i {
			kind.Types = append(kind.Types, conditions.Type{Name: list[i].Type})
		}
	}
	written := kind.Begin(0, nil, time.Unix(0, 0)).Commit().Conditions()
	slices.SortStableFunc(list, func(a, b conditions.Condition) int {
		return conditions.Find(written, a.Type) - conditions.Find(written, b.Type)
	})
}

// SPDX-License-Identifier: Apache-2.0

package setters

import (
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetCAPIv1beta1 returns the list with the condition set as Cluster API v1beta1's setter does it, for programs that
// must write what that library writes. Any change of status, severity, reason or message moves the time to now. A new
// condition keeps a time that it brings. The list is sorted, Ready first, then by type. A pass moves the time on a
// change of status only. The given list is not changed.
func SetCAPIv1beta1(list []conditions.Condition, c conditions.Condition, now time.Time) []conditions.Condition {
	out := slices.Clone(list)
	stamp := metav1.Time{Time: now.UTC().Truncate(time.Second)}
	if i := conditions.Find(out, c.Type); i < 0 {
		if c.LastTransitionTime.IsZero() {
			c.LastTransitionTime = stamp
		}
		out = append(out, c)
	} else {
		old := &out[i]
		if old.Status == c.Status && old.Severity == c.Severity && old.Reason == c.Reason && old.Message == c.Message {
			c.LastTransitionTime = old.LastTransitionTime
		} else {
			c.LastTransitionTime = stamp
		}
		out[i] = c
	}
	slices.SortStableFunc(out, func(a, b conditions.Condition) int {
		switch {
		case a.Type == b.Type:
			return 0
		case a.Type == "Ready":
			return -1
		case b.Type == "Ready":
			return 1
		}
		return strings.Compare(a.Type, b.Type)
	})
	return out
}

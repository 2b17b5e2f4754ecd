// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Time returns a time of a status; nil for the zero time.
func Time(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t}
}

// Stamp returns the time of a status that belongs to a version: the stored one while the version is empty or the stored one, else now.
func Stamp(version, storedVersion string, stored *metav1.Time, now time.Time) *metav1.Time {
	if version == "" || version == storedVersion && stored != nil {
		return stored
	}
	return Time(now)
}

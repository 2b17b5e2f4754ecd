// SPDX-License-Identifier: Apache-2.0

package field

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Optional is a field that is absent while it has its zero value, as omitempty stores it.
func Optional[V comparable](v V) any {
	if v == *new(V) {
		return nil
	}
	return v
}

// Name is a reference by name; absent without a name.
func Name(name string) any {
	if name == "" {
		return nil
	}
	return map[string]any{"name": name}
}

// Time is a time in whole seconds; absent for nil.
func Time(t *metav1.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

// At is Time of a time that is zero where it is absent.
func At(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return Time(&metav1.Time{Time: t})
}

// Stamp is the time field that belongs to a version: the stored one as long as the version is the stored one or empty, else now.
func Stamp(version, storedVersion string, stored *metav1.Time, now time.Time) any {
	if version == "" || version == storedVersion && stored != nil {
		return Time(stored)
	}
	return At(now)
}

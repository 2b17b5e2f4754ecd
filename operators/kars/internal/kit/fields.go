// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"time"

	"github.com/tristate/tristate/apply"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The phases, which are derived from the same facts as the conditions.
const (
	Pending  = "Pending"  // accepted, nothing compiled
	Compiled = "Compiled" // the artifact is written, the routers have not confirmed it
	Ready    = "Ready"
	Degraded = "Degraded" // the spec is valid, a dependency fails
	Failed   = "Failed"   // the spec or a hard prerequisite is wrong
)

// Fields are the status fields of an object with those that every kind has.
func Fields(object Object, phase string, own apply.Fields) apply.Fields {
	if own == nil {
		own = apply.Fields{}
	}
	own["observedGeneration"] = object.GetGeneration()
	own["phase"] = phase
	return own
}

// Optional is a status field that is absent while it has its zero value, as omitempty stores it.
func Optional[V comparable](v V) any {
	if v == *new(V) {
		return nil
	}
	return v
}

// Name is a reference in a status field.
func Name(name string) any {
	if name == "" {
		return nil
	}
	return map[string]any{"name": name}
}

// Stamp is the time field that belongs to a version: the stored one as long as the version is the stored one, else now.
func Stamp(version, storedVersion string, stored *metav1.Time, now time.Time) any {
	switch {
	case version == "":
		return Time(stored)
	case version == storedVersion && stored != nil:
		return Time(stored)
	}
	return Time(&metav1.Time{Time: now})
}

// Time is a time in a status field; whole seconds.
func Time(t *metav1.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

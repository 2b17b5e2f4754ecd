// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/tristate/tristate/apply"
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/operators/internal/reconciler"
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
func Fields(object reconciler.Object, phase string, own apply.Fields) apply.Fields {
	if own == nil {
		own = apply.Fields{}
	}
	own["observedGeneration"] = object.GetGeneration()
	own["phase"] = phase
	return own
}

// Accepted ends the pass over an object that has no conditions yet; cells report that it is being reconciled.
func Accepted(object reconciler.Object, pass interface{ Commit() conditions.Result }, cells ...func(message string)) reconciler.Judgement {
	reconciler.Report("", cells...)
	return reconciler.Judgement{Result: pass.Commit(), Fields: Fields(object, Pending, nil)}
}

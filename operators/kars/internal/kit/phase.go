// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"github.com/tristate/tristate/operator"
	api "github.com/tristate/tristate/operators/kars/api/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The phases, which are derived from the same facts as the conditions.
const (
	Pending  = "Pending"  // accepted, nothing compiled
	Compiled = "Compiled" // the artifact is written, the routers have not confirmed it
	Ready    = "Ready"
	Degraded = "Degraded" // the spec is valid, a dependency fails
	Failed   = "Failed"   // the spec or a hard prerequisite is wrong
)

// Common returns the status fields that every kind has.
func Common(o client.Object, phase string) api.Common {
	return api.Common{ObservedGeneration: o.GetGeneration(), Phase: phase}
}

// Accepted makes the pass over an object that has no conditions yet; cells report that it is being reconciled.
func Accepted(o client.Object, pass operator.Pass, cells ...func()) (operator.Pass, any) {
	for _, report := range cells {
		report()
	}
	common := Common(o, Pending)
	return pass, &common
}

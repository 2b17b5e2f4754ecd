// SPDX-License-Identifier: Apache-2.0

// Package dialect has the rules of each dialect by its name, for package conditions and those below it.
package dialect

import (
	"github.com/tristate/tristate/conditions/internal/merge"
	"github.com/tristate/tristate/conditions/internal/merge/capiv1beta1"
)

// The names of the dialects that are not native in every respect.
const (
	CAPIv1beta1 = "capi-v1beta1"
	CAPIv1beta2 = "capi-v1beta2"
	Knative     = "knative"
)

// Rules of dialects that are merged natively.
var (
	native      merge.Rules
	knative     = merge.Rules{NoGenerations: true, BareHealthy: true, BareReason: true, Severities: []string{"Warning", "Info"}}
	capiv1beta2 = merge.Rules{Lists: []string{"status.v1beta2.conditions"}, NoReason: "NoReasonReported"}
)

// Rules returns the rules of a dialect.
func Rules(name string) *merge.Rules {
	switch name {
	case CAPIv1beta1:
		return &capiv1beta1.Rules
	case CAPIv1beta2:
		return &capiv1beta2
	case Knative:
		return &knative
	}
	return &native
}

// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"github.com/tristate/tristate/conditions/internal/merge"
	"github.com/tristate/tristate/conditions/internal/merge/capiv1beta1"
	"github.com/tristate/tristate/conditions/internal/merge/capiv1beta2"
	"github.com/tristate/tristate/conditions/internal/merge/knative"
	"github.com/tristate/tristate/conditions/internal/merge/operatorpkg"
)

// Dialect names the rules that a kind follows: how its conditions are merged, which fields they have on the wire, and the defaults of a
// declaration in a catalog. The empty dialect is [Core].
type Dialect string

// The dialects. capi-v1beta1, capi-v1beta2, knative and operatorpkg merge as the library of that name does; all others by the native rules.
const (
	Core        Dialect = "core"
	Kstatus     Dialect = "kstatus" // native, with [TypeReconciling] and [TypeStalled]
	Knative     Dialect = "knative"
	CAPIv1beta1 Dialect = "capi-v1beta1"
	CAPIv1beta2 Dialect = "capi-v1beta2"
	OpenShift   Dialect = "openshift"
	Gateway     Dialect = "gateway"
	Operatorpkg Dialect = "operatorpkg" // for Go declarations; catalogs do not have it
)

// dialects are all dialects that a declaration may name.
var dialects = []any{"", Core, Kstatus, Knative, CAPIv1beta1, CAPIv1beta2, OpenShift, Gateway, Operatorpkg}

var native merge.Rules

// rules are those of the dialect.
func (d Dialect) rules() *merge.Rules {
	switch d {
	case CAPIv1beta1:
		return &capiv1beta1.Rules
	case CAPIv1beta2:
		return &capiv1beta2.Rules
	case Knative:
		return &knative.Rules
	case Operatorpkg:
		return &operatorpkg.Rules
	}
	return &native
}

// Generations reports whether conditions of the dialect have an observedGeneration.
func (d Dialect) Generations() bool { return !d.rules().NoGenerations }

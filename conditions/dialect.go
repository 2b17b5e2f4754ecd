// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"github.com/tristate/tristate/conditions/internal/dialect"
	"github.com/tristate/tristate/conditions/internal/merge"
)

// Dialect names the rules that a kind follows: how its conditions are merged, which fields they have on the wire, and the defaults of a
// declaration in a catalog. The empty dialect is [DialectCore].
type Dialect string

// The dialects. Conditions of capi-v1beta2 and knative are read, and not derived; capi-v1beta1 merges as the library of that name does, all
// others by the native rules.
const (
	DialectCore        Dialect = "core"
	DialectKstatus     Dialect = "kstatus" // native, with [TypeReconciling] and [TypeStalled]
	DialectKnative     Dialect = dialect.Knative
	DialectCAPIv1beta1 Dialect = dialect.CAPIv1beta1
	DialectCAPIv1beta2 Dialect = dialect.CAPIv1beta2
	DialectOpenShift   Dialect = "openshift"
	DialectGateway     Dialect = "gateway"
)

// dialects are all dialects that a declaration may name.
var dialects = []any{"", DialectCore, DialectKstatus, DialectKnative, DialectCAPIv1beta1, DialectCAPIv1beta2,
	DialectOpenShift, DialectGateway}

// rules returns the merge rules of the dialect.
func (d Dialect) rules() *merge.Rules { return dialect.Rules(string(d)) }

// Derives reports whether conditions of the dialect can be derived from others. [Kind.Validate] refuses a summary in
// a dialect in which they cannot.
func (d Dialect) Derives() bool { return d != DialectKnative && d != DialectCAPIv1beta2 }

// Generations reports whether conditions of the dialect have an observedGeneration.
func (d Dialect) Generations() bool { return !d.rules().NoGenerations }

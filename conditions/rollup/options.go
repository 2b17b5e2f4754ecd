// SPDX-License-Identifier: Apache-2.0

package rollup

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/internal/merge"
)

// Missing is how an input without a condition counts in a merge.
type Missing string

// The policies for missing conditions. The zero value is the default of the dialect: MissingSkip in capi-v1beta1, MissingUnknown
// in all others. With MissingUnknown too, a merge of which no input is reported has no result in
// dialect capi-v1beta1 (Cluster API proposal: dependents without a Ready condition generate none).
const (
	MissingSkip    Missing = merge.MissingSkip
	MissingUnknown Missing = merge.MissingUnknown
)

// Options configures [Summarize], [Aggregate] and [Mirror]. The zero value is the native rules.
type Options struct {
	Dialect conditions.Dialect // whose rules hold
	Target  conditions.Type    // the declaration of the derived type; Name and Polarity are used, and Reasons for stock reasons
	Missing Missing
	// Counter begins the message of an unhealthy result with "x of y completed" (native rules). In dialect capi-v1beta1 that is the whole
	// message.
	Counter bool
	// Total is y of the counter; 0 counts the inputs.
	Total int
	// NoCauses leaves [Merged.Causes] empty. An aggregate then costs much less: it need not sort inputs for which its message has no room.
	NoCauses bool
	// AtLeast and AtMost make a quorum of the native rules: the result is healthy while at least AtLeast inputs are, and at
	// most AtMost are not; 0 says nothing. An Unknown input may be either: it decides only where it could turn the balance.
	// A healthy result over inputs that are not all healthy has the message "x of y completed".
	AtLeast, AtMost int
	// Recent orders equally important inputs of a summary by the time of their conditions, the latest first. Equal times
	// and conditions without a time keep the order of the inputs. Without Recent only that order decides (native rules).
	Recent bool
	// Reasons renames reasons of the inputs for the reason of the result (native rules). Messages and causes keep them.
	Reasons map[string]string
	// SourceRef makes the reason "Reason @ Kind/name" (capi-v1beta1 only; such reasons are refused by metav1 schemas).
	SourceRef bool
	// Exact keeps upstream's rank of True over Unknown in dialect capi-v1beta1. Without it Unknown outranks True, so
	// that a summary is never True over an Unknown dependent.
	Exact bool
	// Object is the object that the result is for: SourceRef names it where the input's Object is zero.
	Object conditions.ObjectRef
}

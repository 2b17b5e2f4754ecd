// SPDX-License-Identifier: Apache-2.0

package conditions

// Input is one condition offered to a merge.
type Input struct {
	Object    Ref        // whose condition it is; the zero Ref for the object itself
	Type      string     // the type that was asked for
	Condition *Condition // nil: not reported
	Polarity  Polarity   // of the type; "" is positive
	Stale     bool       // observed at an older generation than the object's: counts as Unknown
	Optional  bool       // a missing one does not count as Unknown
}

// Missing says what a merge makes of an input whose condition is not reported.
type Missing string

// The policies for missing conditions. The zero value is the profile's default: MissingUnknown in the native profile,
// MissingSkip in capi-v1beta1. With MissingUnknown too, a merge of which no input is reported has no result in the
// capi-v1beta1 profile (Cluster API proposal: dependents without a Ready condition generate none).
const (
	MissingSkip    Missing = "skip"
	MissingUnknown Missing = "unknown"
)

// Profile is a set of merge rules.
type Profile string

// The merge profiles.
const (
	ProfileNative      Profile = ""             // the rules of DESIGN.md section 4: reasons survive
	ProfileCAPIv1beta1 Profile = "capi-v1beta1" // severity groups and step counter
)

// MergeOptions configures [Summarize], [Aggregate] and [Mirror]. The zero value is the native profile.
type MergeOptions struct {
	Profile Profile
	Target  Type // the declaration of the derived type; Name and Polarity are used, and Reasons for stock reasons
	Missing Missing
	// Counter replaces the message of an unhealthy result by "x of y completed".
	Counter bool
	// Total is y of the counter; 0 counts the inputs.
	Total int
	// SourceRef makes the reason "Reason @ Kind/name" (capi-v1beta1 only; such reasons are refused by metav1 schemas).
	SourceRef bool
	// Exact keeps upstream's rank of True over Unknown in the capi-v1beta1 profile. Without it Unknown outranks True, so
	// that a summary is never True over an Unknown dependent.
	Exact bool
}

// Merged is the result of a merge: a condition without time and generation, and what caused it, worst first.
type Merged struct {
	Condition Condition
	Causes    []Cause
}

// SPDX-License-Identifier: Apache-2.0

// Package conditions is the library that an operator writes status conditions with.
//
// # Rules
//
//  1. A [Kind] declares which condition types, statuses and reasons exist, their polarity, role and presence. It is
//     usually compiled from a catalog, and can be written as a Go value.
//  2. A [Pass] collects the facts of one reconcile about one object. Facts are reported in any order; the result never
//     depends on that order. Several causes may be reported to one type: declared precedence (the order of the
//     reasons) picks the reason, the message names them all.
//  3. [Pass.Commit] fills what the declaration asks for, compares with the stored list and stamps once.
//     lastTransitionTime moves only when the status differs from the stored one; observedGeneration is the one
//     captured at Begin and never decreases; a condition stored by a newer observer is kept and reported as superseded.
//  4. Types that the kind does not own are never touched, removed or reordered.
//  5. Commit never panics and never yields a condition that the API server would refuse.
//  6. Unhealthy is False for positive and True for negative types. Unknown outranks healthy, a missing condition counts
//     as Unknown unless declared optional, and one observed at an older generation counts as Unknown. A summary is
//     never healthy over an unhealthy or unknown dependent.
//
// # What it is not
//
// It has no client, no clock of its own, no metrics and no events: package apply has those. It imports the standard
// library and apimachinery's meta/v1, nothing else.
package conditions

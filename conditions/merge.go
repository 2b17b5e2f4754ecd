// SPDX-License-Identifier: Apache-2.0

package conditions

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

import "github.com/tristate/tristate/conditions/internal/merge"

// Input is one condition offered to a merge.
type Input struct {
	Object    Ref        // whose condition it is; the zero Ref for the object itself
	Type      string     // the type that was asked for
	Condition *Condition // nil: not reported; causes of the result refer to it, so that it must not be changed afterwards
	Polarity  Polarity   // of the type; "" is positive
	Stale     bool       // observed at an older generation than the object's, or too old by a rule of the caller's: counts as Unknown
	Optional  bool       // a missing one does not count as Unknown
	First     bool       // named before others in a capi-v1beta2 aggregate, as the machines of the control plane are
	Severity  Severity   // of its reason as declared; counts where the condition itself carries none
	Causes    []Cause    // its known causes: they stand for it in the causes of the result
}

// InputOf is the input of another object that was read with its generation and its conditions: the condition of a type, stale if it was
// observed at an older generation. Nothing of the list is kept.
func InputOf(of Ref, generation int64, list []metav1.Condition, conditionType string) Input {
	in := Input{Object: of, Type: conditionType}
	for i := range list {
		if list[i].Type == conditionType {
			one := FromMeta(list[i : i+1])[0]
			in.Condition, in.Stale = &one, one.ObservedGeneration != 0 && one.ObservedGeneration < generation
			break
		}
	}
	return in
}

// Missing is how an input without a condition counts in a merge.
type Missing string

// The policies for missing conditions. The zero value is the default of the dialect: MissingSkip in capi-v1beta1, MissingUnknown
// in all others. With MissingUnknown too, a merge of which no input is reported has no result in
// dialect capi-v1beta1 (Cluster API proposal: dependents without a Ready condition generate none).
const (
	MissingSkip    Missing = "skip"
	MissingUnknown Missing = "unknown"
)

// MergeOptions configures [Summarize], [Aggregate] and [Mirror]. The zero value is the native rules.
type MergeOptions struct {
	Dialect Dialect // whose rules hold
	Target  Type    // the declaration of the derived type; Name and Polarity are used, and Reasons for stock reasons
	Missing Missing
	// Counter begins the message of an unhealthy result with "x of y completed" (native rules, but for a summary with Entries, of which it is
	// the message). In dialect capi-v1beta1 that is the whole message.
	Counter bool
	// Total is y of the counter; 0 counts the inputs.
	Total int
	// NoCauses leaves [Merged.Causes] empty. An aggregate then costs much less: it need not sort inputs for which its message has no room.
	NoCauses bool
	// AtLeast and AtMost make a quorum of the native rules: the result is healthy while at least AtLeast inputs are, and at
	// most AtMost are not; 0 says nothing. An Unknown input may be either: it decides only where it could turn the balance.
	// A healthy result over inputs that are not all healthy has the message "x of y completed".
	AtLeast, AtMost int
	// Recent orders the inputs of a summary that are equally important by the time of their conditions, the latest first; equal times and
	// conditions without a time keep the order of the inputs, which decides alone where Recent is not set (native rules).
	Recent bool
	// Reasons renames reasons of the inputs for the reason of the result (native rules). Messages and causes keep them.
	Reasons map[string]string
	// SourceRef makes the reason "Reason @ Kind/name" (capi-v1beta1 only; such reasons are refused by metav1 schemas).
	SourceRef bool
	// Exact keeps upstream's rank of True over Unknown in dialect capi-v1beta1. Without it Unknown outranks True, so
	// that a summary is never True over an Unknown dependent. In dialect capi-v1beta2 it keeps the time in a mirror,
	// messages of any length, and in aggregates the order of in where times are equal and the weight that another kind gave a text.
	Exact bool
	// Entries changes the entries of a summary's message before they are joined, of each dependent one, worst first (native) or in the order
	// of the inputs (capi-v1beta2): nil leaves them. The result is cut to the limits of a message. An aggregate has none.
	Entries func(entries []string) []string
	// Object is the object that the result is for: SourceRef names it where the input's Object is zero.
	Object Ref

	stored string // the message that is stored: reused, so that an equal one costs no memory
}

// Merged is the result of a merge: a condition without time and generation, and what caused it, worst first.
type Merged struct {
	Condition Condition
	Causes    []Cause
}

// Stock reasons, used where the target declares none that fits.
const (
	reasonHealthy     = "Healthy"               // every dependent is healthy
	reasonUnhealthy   = "DependentsUnhealthy"   // several dependents are unhealthy, for different reasons
	reasonUnknown     = "DependentsUnknown"     // several dependents are Unknown, for different reasons
	ReasonNotReported = merge.ReasonNotReported // the condition does not exist
	reasonStale       = merge.ReasonStale       // the condition was observed at an older generation
	reasonFailed      = "Failed"                // an error was reported, and no reason is declared
	reasonUndeclared  = "Undeclared"            // a cell was reported that is not declared, and there is no fall-back
)

// renamed is the reason under the name that the result has for it.
func (o *MergeOptions) renamed(reason string) string {
	if o.Reasons == nil { // mostly, and inlined
		return reason
	}
	if name, ok := o.Reasons[reason]; ok {
		return name
	}
	return reason
}

// Summarize merges conditions of one object into one. The order of in is the order of importance: it decides between
// conditions of the same weight. It reports false when no input counts (none given, all skipped or neutral).
//
// Native rules: the result is unhealthy if any input is, else Unknown if any is, else healthy. The reason is that of
// the inputs that decided, if they agree on one and the target declares or imports it; otherwise the first declared
// reason of the target that one of them has, otherwise the last one declared for the status, otherwise a stock one. The
// message names every input that is not healthy as "Type(Reason): text", worst first.
//
// Dialect capi-v1beta1: the worst group of status and severity decides; True is bare.
//
// Dialect capi-v1beta2: any issue decides, else any Unknown. The reason is the last one that the target declares for the
// status, otherwise IssuesReported, UnknownReported or InfoReported. The message has a line for each type that is not healthy,
// in the order of in, and has the messages of healthy ones where the result is True. Of a repeated type the older one comes first.
//
// Dialect knative: the newest False dependent is copied, else the newest Unknown one; a missing one makes a bare Unknown, all
// healthy ones a bare True. The library's result depends on the order of the calls; this is that of the order in which the
// dependent that decides comes last. It has no use for severities: a condition that is not a dependent is not offered.
//
// Dialect operatorpkg: the reason is UnhealthyDependents or ReconcilingDependents, the message "A=False, B=Unknown" with the
// newest first; a True root has its own type as reason. A stale dependent is Unknown, whatever it says. Of equal times the order
// of in decides, in both.
func Summarize(in []Input, o MergeOptions) (Merged, bool) {
	return mergeList(in, &o, false)
}

// Aggregate merges the condition of several objects into one, by the rules of [Summarize]. The result does not depend
// on the order of in. Objects with equal text are named together, at most three of them, and the number of the rest.
func Aggregate(in []Input, o MergeOptions) (Merged, bool) {
	return mergeList(in, &o, true)
}

// Mirror copies the condition of one object under the name of the target, with the status turned over where the
// polarities are opposite. It reports false where there is nothing to copy: the condition is missing and optional, or
// missing counts as skipped. Time and generation are not copied. Dialects knative and operatorpkg have no mirror of their
// own: theirs is the native one.
func Mirror(in Input, o MergeOptions) (Merged, bool) {
	var m merger
	return m.mirror(&in, &o)
}

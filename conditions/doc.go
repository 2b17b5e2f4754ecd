// SPDX-License-Identifier: Apache-2.0

// Package conditions is the library that an operator writes status conditions with.
//
//	pass := kind.Begin(object.Generation, stored, clock.Now())
//	pass.Report("Compiled", conditions.False, "SpecInvalid", err.Error())
//	result := pass.Commit()
//
// # Declaration
//
// A [Kind] declares which condition types, statuses and reasons exist. It is usually compiled from a catalog, and can be
// written as a Go value, which [Kind.Validate] checks. It is read-only and shared by all passes. Of each [Type] it says:
//
//   - Polarity: whether True is good (positive), bad (negative) or neither (neutral). It is declared here and nowhere else.
//   - Role: whether it sums up (summary), counts (dependent) or only informs. A kind may have any number of summaries.
//   - Reasons: the allowed cells. Their order is their precedence; each has a [Class] and, where it is bad, a [Severity].
//   - [Presence]: when it is in the list. StartHealthy: how it begins. [Unreported]: what becomes of it in a pass that says
//     nothing about it. [Lifecycle]: whether it may move back. GoBadAfter and RecoverAfter: how long a change must last.
//   - Aliases: names it had; they are read and never written. [Kind].Retired: types without a successor, which are removed.
//
// # A pass
//
//  1. [Kind.Begin] captures the generation being reconciled, the stored list and one clock reading, cut to whole seconds.
//  2. Facts are reported in any order; the result never depends on that order. Several causes may be reported to one type:
//     declared precedence picks the reason, the message names them all, worst first, without the healthy ones if there is a bad
//     one. A cell that is not declared becomes the last one declared for its status, or an Unknown one, and an error that
//     names it. [Pass.ReportError] reports an error by its class, [Pass.ReportCondition] a condition that was derived from others, with
//     its causes.
//  3. [Pass.Gate] adds conditions that the object's spec asks for to the summaries.
//  4. [Pass.Commit] computes the summaries, fills what the declaration asks for, compares with the stored list and stamps
//     once. It never panics, and never returns a condition that the API server would refuse.
//
// # What is written
//
//  5. lastTransitionTime moves when, and only when, the status differs from the stored one. A status that flips back within a pass
//     does not move it; neither do reason, message and generation. Times are whole seconds, as the API server stores them: a stored
//     fraction is cut off with the next change. A stored time that is more than a minute ahead of the pass is wrong; the
//     pass replaces it by its own.
//  6. observedGeneration is the one captured by Begin, for conditions that were reported or computed in this pass. It never decreases.
//     A condition stored by a newer observer is kept and named in [Result].Superseded.
//  7. Types that the kind does not own are never touched, removed or reordered. Owned ones take the places that owned ones
//     held, in declared order; new ones come last. An order alone is not rewritten.
//  8. Messages are valid UTF-8 of at most 32,768. A list keeps whole entries, worst first, and gives the number
//     of the others; a single long text is cut at a rune boundary.
//  9. A second pass over the same facts changes nothing: [Result].Changed is false, the conditions are the stored ones, and
//     where each type had one fact nothing was allocated.
//
// # Roll-ups
//
//  10. Unhealthy is False for positive and True for negative types; neutral ones never count. Unhealthy outranks Unknown, and
//     Unknown outranks healthy. Missing counts as Unknown unless declared optional or skipped; a negative type that is
//     present only while True is healthy when absent. An optional type is absent until it is reported. A reported condition counts also
//     if Presence keeps it out of the list. A condition observed at an older generation counts as Unknown, unless its
//     lifecycle says that it cannot change.
//  11. A summary is never healthy over an unhealthy or unknown dependent. A report to the summary itself takes part: the
//     worse of the two is published.
//  12. A cause keeps its reason: the one on which the deciding inputs agree, if the target declares or imports it. Otherwise
//     the summary gets the first declared reason that an input has, else the last one declared for the status, else a stock
//     one. The message names each input that is not healthy as "Type(Reason): text", and in an aggregate the objects that
//     share a text.
//  13. [Result.Causes] explains a condition in machine-readable form, down to the objects that it rests on.
//
// Package rollup has the same rules as functions, for conditions of other objects. Dialect capi-v1beta1 merges as the
// library of that name does, with unhealthy before Unknown before healthy. Its messages stay within the limit, and its
// order does not depend on the input.
// Dialects capi-v1beta2 and knative are for reading: [Dialect.Derives]. In capi-v1beta1 and knative conditions have no generation, and
// healthy ones need no reason.
//
// # Time
//
//  14. A change that has not lasted long enough (dwell) is not published; [Result].RequeueAt says when it will have. It counts
//     from the time that the fact came with, else from when the state of the object ([Pass.SetState]) first saw it; without either it is
//     published at once.
//
//  15. A cell may have a [Deadline]. When it is over the commit publishes the reason that follows, and the cell again as soon as another
//     fact is
//     reported; [Result].RequeueAt wakes the object. The beginning is the stored one ([Pass.SetWaits], [Result].Waits), so that it survives
//     a restart and a change of reason under the same status, which lastTransitionTime does not tell. A stored beginning in the future is
//     none. A pass that says nothing about the type keeps its cell and its wait.
//
// # Dialect kstatus
//
//  16. Conditions Reconciling and Stalled follow from the classes of the other cells. Both are True where the controller goes on while it
//     is
//     stuck; Reconciling is never False while Stalled is True. See [TypeReconciling].
//
// # The queue
//
//  17. A [Fault] carries a class, and [Result.Advice] maps error and conditions to the answer that a
//     reconciler returns: back off for a transient fault, wait for a change with a terminal one.
//
// # What it is not
//
// It has no client, no clock of its own, no metrics and no events: package apply has those. Package wire reads and writes
// conditions of decoded objects. All three import the standard library and apimachinery's meta/v1, nothing else.
//
// # Wrong use
//
// A kind is for concurrent use, a pass is not. A pass is a handle of memory that serves no other pass: a call after Commit, on whatever
// copy or kept field and from whatever goroutine, reaches no other object. It does nothing, and is named in the errors of a
// further Commit.
package conditions

// SPDX-License-Identifier: Apache-2.0

// Package verdict judges any Kubernetes object: whether it is as its spec asks, with the evidence for the answer.
//
// # Rules
//
// The first of these that applies decides:
//
//  1. Deletion: an object with a deletion timestamp is Terminating; its finalizers are named.
//  2. Knowledge of the kind: its [Pack], then its [Semantics] (confidence "catalog").
//  3. The builtin rule of a kind of the API server (confidence "builtin").
//  4. Conventions (confidence "condition", "heuristic" or "none"), as rules: see [All]. Each rule looks at one condition or field and makes
//     a claim; the claim of the highest tier decides. docs/verdict-rules.md lists them with examples.
//
// Type, Condition, Reason, Message, Severity, Remedy and the first Evidence of a [Verdict] are those of one condition, the most specific
// one; if the verdict rests on something else, Type is empty. Others lists the other unhealthy conditions. An impossible
// status (generations out of range, times in the future, conditions without a type) is Unknown, for any kind. An object whose top-level
// condition is False is ready only if its declaration allows that.
//
// An object that should have a status and has none is never Current. Its definition decides whether it should ([Expectation]); without a
// definition, an object with a spec should.
//
// A Failed object needs help; a Degraded one still serves (a summary condition is True, or replicas are available). A task, which runs and
// ends, never serves. Once a task has finished, activity conditions are ignored. A component that is still progressing under a True summary
// makes the object InProgress.
//
// While the status is about an older generation, the object is InProgress, unless a condition fails at the current one:
// [Condition.FailsNow].
//
// The order of lists never matters: of several conditions of one type the worst counts. No input panics. To judge a
// healthy object takes at most twelve allocations, for its message and evidence.
//
// # What it is not
//
// It reads one object; trees and causes are elsewhere. It knows no client and fetches nothing: knowledge from other objects (definitions,
// catalogs) is passed in the fields of [Engine].
package verdict

// SPDX-License-Identifier: Apache-2.0

// Package verdict answers, for any Kubernetes object, whether it is what it should be, with the evidence the answer
// rests on.
//
// # Rules
//
// The first of these that has something to say decides:
//
//  1. Deletion: an object with a deletion timestamp is Terminating; its finalizers are named.
//  2. Knowledge of the kind: its [Pack], then its [Semantics] (confidence "catalog").
//  3. The builtin rule of a kind of the API server (confidence "builtin").
//  4. Conventions (confidence "condition", "heuristic" or "none"), as rules: see [All]. Each rule looks at one piece of evidence and makes a
//     claim; the claim of the highest [Tier] decides. docs/verdict-rules.md lists them with examples.
//
// Type, Condition, Reason, Message, Severity, Remedy and the first Evidence of a [Verdict] are those of one condition, the one that says most; where it
// rests on something else Type is empty. [Engine.Assess] lists the other bad conditions too. A status that cannot be as it says (generations out of range,
// times to come, conditions without a type) is Unknown, whatever is known of the kind. An object whose top-level condition is False is ready only if its
// declaration says so.
//
// An object that should have a status and has none is never Current. Whether it should is read from its definition
// ([ExpectationFromCRD]); without that, an object with a spec should.
//
// Failed needs help; Degraded serves all the same (a summary condition says True, or replicas are available). A task, which
// runs and ends, never serves; of what is over nothing is under way any more, and a part that goes on beside a summary that
// is True is InProgress.
//
// The order of lists never matters: of several conditions of one type the worst counts. No input panics. A judgement
// allocates nothing; sentences and paths are composed when they are asked for.
//
// # What it is not
//
// It reads one object; trees and causes are elsewhere. It knows no client and fetches nothing: what other objects tell
// (definitions, storage classes, catalogs) comes in through the fields of [Engine].
package verdict

// SPDX-License-Identifier: Apache-2.0

// Package rollup merges conditions: of one object into a summary, and of several objects into one condition.
//
//	merged, ok := rollup.Aggregate(inputs, rollup.Options{Target: conditions.Type{Name: "MachinesReady", Imported: true}})
//	rollup.Report(pass, "MachinesReady", merged)
//
// [Summarize], [Aggregate] and [Mirror] are the rules by which a pass of package conditions computes a declared summary, as functions. The
// worst decides: unhealthy, then Unknown, then healthy; missing and stale inputs are Unknown. A cause keeps its reason, and [Merged].Causes
// leads to the conditions that explain the result.
//
// Dialect capi-v1beta1 merges as the library of that name does: with [Options].Exact byte for byte, without it with unhealthy before
// Unknown before healthy, within the limits of a message and in an order that does not depend on the input. All others merge by the
// native rules.
//
// A catalog declares merges, and generated code and the controller call this package: the author of an operator seldom does.
package rollup

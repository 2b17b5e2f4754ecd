// SPDX-License-Identifier: Apache-2.0

// Package derive computes the declared derived conditions of one object: a pure function from gathered objects to cells.
//
// # Rules
//
//  1. Derivations run in the order of their dependencies; each sees what the others of the same pass gave.
//  2. summary merges types of the object itself, mirror copies a condition of the one object that a relation leads to,
//     aggregate merges a condition of all objects that a relation leads to. The merge profile is the dialect's: capi-v1beta1 and
//     capi-v1beta2 have one for all three, knative for summary; everything else is native. In capi-v1beta2 objects without a catalog
//     are read as Cluster API reads them, and machines of the control plane are named first.
//  3. rules, and otherwise where the above give nothing, are tried in order; the first that holds gives the cell. An
//     expression that fails because a field is missing does not hold; one that fails otherwise does not hold and is a
//     [Problem]. Neither stops the rest.
//  4. A type that comes to nothing is retracted.
//  5. lifecycle: monotonic never goes back from True; terminal never changes once True; per-run follows its rules while a run is
//     on and keeps the outcome of the last run otherwise.
//  6. dwell: a change that has not lasted as long as declared is not published, and what depends on the type sees what is published.
//     How long it has lasted is counted from the pass that saw it first: see [Input].Memory.
//  7. paused: while the expression holds, nothing is derived and what is stored stands.
//  8. Aliases are read as the type they stand for, on the object itself and on related objects with a catalog.
//
// The result is the full new conditions list, as [conditions.Pass.Commit] stamps it.
package derive

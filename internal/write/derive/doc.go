// SPDX-License-Identifier: Apache-2.0

// Package derive computes the declared derived conditions of one object: a pure function from gathered objects to cells.
//
// # Rules
//
//  1. Derivations run in the order of their dependencies; each sees the conditions that the others of the same pass publish.
//  2. summary merges types of the object itself, mirror copies a condition of the one object that a relation leads to,
//     aggregate merges a condition of all objects that a relation leads to. In dialect capi-v1beta1 they follow the rules of
//     Cluster API, in all others the native ones.
//  3. rules, and otherwise where the above have no result, are tried in order; the first that holds is the result. An
//     expression that fails because a field is missing does not hold; one that fails otherwise does not hold and is a
//     [Problem]. Neither stops the rest.
//  4. A type without a result is removed from the list.
//  5. lifecycle per-run follows the rules while a run is on and keeps the outcome of the last run otherwise.
//  6. paused: while the expression holds, nothing is derived and the stored list is kept.
//  7. Aliases are read as the type they mean, on the object itself and on related objects with a catalog.
//
// This package gathers inputs and evaluates expressions. The pass makes summaries, gates, staleness, lifecycle and stamps:
// each derivation is a step of [conditions.Pass.Derive], and the result is what [conditions.Pass.Commit] makes of it.
package derive

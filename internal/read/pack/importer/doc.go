// SPDX-License-Identifier: Apache-2.0

// Package importer makes rule packs of the rules that other tools are given: health check expressions of Flux and wait
// rules of kapp.
//
// # Rules
//
//  1. Every kind that a file has rules for becomes one catalog, in the order of groups and kinds.
//  2. An object is judged by the rules in the order in which the tool looks at them; if none applies it is InProgress, as
//     it is for the tool. What is deleted, or was not observed since its spec changed, is decided before them.
//  3. A rule that a catalog cannot express is an [Issue] with its place, and the rest is imported. Nothing is left out silently.
//
// # Where the tools differ
//
// For Flux an expression that reads a missing field is an error, and the object Unknown; here such a rule does not hold.
// kapp counts the timeout of a condition from when it first saw it, here it counts from its last transition.
package importer

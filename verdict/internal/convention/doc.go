// SPDX-License-Identifier: Apache-2.0

// Package convention judges objects of any kind by rules that are true of any vendor.
//
// A [Rule] is a value: it looks at one condition or field, and claims a status for the object. The files walk_*.go go over the object once
// and hand each condition and field to the table of rules for it, evidence.go keeps the claims and picks the one of the highest [Tier],
// and provisional.go compares an answer of a catalog or a pack with them. The words are in package lexicon.
package convention

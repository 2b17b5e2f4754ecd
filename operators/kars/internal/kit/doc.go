// SPDX-License-Identifier: Apache-2.0

// Package kit has the reconcile that all kinds of kars share.
//
//	gather   read everything that the judgement needs; decides nothing
//	act      write the children; what goes wrong is a fact
//	judge    pure: facts in, conditions and status fields out
//	apply    one request, or none
//
// The first pass over an object only says that it was accepted (Reconciling); it happens once in the life of an object. Where a child is to
// be created, a pass before the writing says so (Creating).
package kit

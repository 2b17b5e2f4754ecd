// SPDX-License-Identifier: Apache-2.0

// Package kit has the parts that the kinds of kars share besides the reconcile: names and labels of children, references between the kinds,
// published artifacts and how far the routers are with them, phases.
//
// An artifact counts as enforced when a [Quorum] of the routers of the sandboxes that refer to it report its digest.
package kit

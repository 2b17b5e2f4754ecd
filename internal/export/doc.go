// SPDX-License-Identifier: Apache-2.0

// Package export is what the exports to other tools share: which kinds of which catalogs are exported ([Subject]), the states that a
// catalog can reach ([States]), and what an export writes ([Product]). Each consumer has a package of its own below this one, which turns
// subjects into a product and knows nothing of files and flags; the gen command writes products.
//
// An export is held to its consumer's own code: a module below proof/consumers runs the consumer over the states, the
// objects of pack tests and generated objects, and compares its answer with package verdict's. Where a consumer
// cannot express something, the product lists a [Difference], and the test accepts exactly those.
package export

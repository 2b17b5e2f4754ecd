// SPDX-License-Identifier: Apache-2.0

// Package flux writes health checks in CEL for Flux from catalogs and rule packs: the lists spec.healthCheckExprs of its Kustomizations and
// HelmReleases.
//
// Flux parses these expressions and does not compile them, has no variable for the complete object, and goes on waiting where one ends in
// an error. So every expression here is total: a rule of a catalog is translated into the two questions whether it is true and whether it
// is false, both of which are false where it is an error, as of a field that does not exist. What is written is compiled before, with the
// functions that Flux has. A top-level field that an object lacks stays an error: no expression can ask for it.
//
// Flux has three words. Degraded is failed, since something is broken; Suspended is current, since waiting does not help; Unknown is in
// progress.
package flux

// SPDX-License-Identifier: Apache-2.0

// Package flux writes health checks in CEL for Flux from catalogs and rule packs: the lists spec.healthCheckExprs of its Kustomizations and
// HelmReleases.
//
// Flux parses these expressions and does not compile them, has no variable for the complete object, and goes on waiting
// if one ends in an error. So every expression here is total. A rule of a catalog becomes two questions: is it true,
// and is it false? Both answers are false if the rule is an error, for example about a missing field. Each expression
// is compiled before it is written, with the functions that Flux has. A top-level field that an object lacks stays an
// error: no expression can ask for it.
//
// Flux has three words. Degraded is failed, since something is broken. Suspended is current, since waiting does not
// help. Unknown is in progress.
package flux

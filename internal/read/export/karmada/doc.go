// SPDX-License-Identifier: Apache-2.0

// Package karmada writes health interpretations in Lua for Karmada from catalogs and rule packs: a ResourceInterpreterCustomization for
// each version of a kind.
//
// The script is that for Argo CD as a function. Karmada keeps a Lua state for several scripts, so everything but the function is local to
// it. Karmada asks whether an object is healthy, and moves what is unhealthy for too long to another cluster: Current is healthy, and so is
// Suspended, since another cluster does not help it.
package karmada

// SPDX-License-Identifier: Apache-2.0

// Package catalogs holds what Tristate knows of kinds beyond the systems of package systems: the catalogs of Kubernetes, and rule packs.
//
// A rule pack is a catalog that only defines how the kinds of another system are judged, where the conventions of status have no answer or
// a wrong one. Packs follow what the fields of a kind mean; the cases that they are held to, in packs/testdata, were made for them.
package catalogs

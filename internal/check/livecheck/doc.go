// SPDX-License-Identifier: Apache-2.0

// Package livecheck holds single objects to the wire contract of conditions and to the catalog of their kind.
//
// Rules that hold only for an object at rest look at settled ones: no generation lags, nothing is Unknown, no cell of class progress. While an
// object is being deleted its finalizers may void every invariant, and only the form of its entries is looked at. An object without a catalog is
// held to the form alone.
//
// Times are compared with the time of the run; a tolerance for clocks that differ and a budget for what may lag come with it.
package livecheck

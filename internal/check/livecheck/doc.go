// SPDX-License-Identifier: Apache-2.0

// Package livecheck checks single objects against the wire contract of conditions and the catalog of their kind.
//
// Rules that hold only for an object at rest are checked on settled objects: the current generation is observed, no condition is Unknown,
// and none has a reason of class progress. While an object is being deleted its finalizers may break every invariant, and only the form of
// its entries is checked. An object without a catalog is checked for form alone.
//
// Times are compared with the time of the run, with a tolerance for clocks that differ and a budget for a status that lags.
package livecheck

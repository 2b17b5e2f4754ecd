// SPDX-License-Identifier: Apache-2.0

// Package crdcheck checks CustomResourceDefinitions for the needs of clients of conditions: a list keyed by type in every served version,
// items with the fields and bounds of metav1.Condition, columns that name declared types.
//
// Criterion C3 of the kars document, that a definition declares an array of conditions, is one of the checks (crd/declares-conditions). Its
// archive has a definition that passes it, and each of the others has a finding there.
//
// It looks at schemas, not at objects. Lists are looked for where the catalog of the kind has them, and at status.conditions without one.
package crdcheck

// SPDX-License-Identifier: Apache-2.0

// Package columns exports kinds to CustomResourceDefinitions: printer columns that show conditions in kubectl get, and a schema of the list
// of conditions, as JSON patches for kubectl and kustomize, and as markers of controller-gen.
//
// A definition belongs to its author, so a patch changes nothing else of it: each begins with a test that the version is where it is
// expected, and fails as a whole otherwise. A column shows a field of the object. Conditions that are computed when an
// object is read, and lists of lists, cannot be columns.
package columns

// SPDX-License-Identifier: Apache-2.0

// Package policy exports kinds to ValidatingAdmissionPolicies on the status subresource, so that the API server reports what a catalog does
// not declare: undeclared types and cells, duplicates, missing conditions, transitions that the lifecycle forbids, times that move without
// a transition, generations that are wrong, and foreign writers.
//
// A refused write stalls the controller that repeats it. The binding therefore warns and audits, and a policy that cannot be evaluated lets
// the write pass; refusing is a choice of the user. The rules are about what a write changes: an object that was wrong before does not hold
// up an unrelated write of the same status.
package policy

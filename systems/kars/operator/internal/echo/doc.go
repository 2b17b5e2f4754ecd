// SPDX-License-Identifier: Apache-2.0

// Package echo brings the reports of the routers to the operator: the fact "router R reports digest D for kind K".
//
// A router serves it at /internal/policy-status and the operator pulls it; a router may also push it. Both end in one [Store], whose
// changes wake the reconcilers. A router that does not answer within [Timeout], answers with more than [MaxBody], with another schema or
// without JSON is unreachable: nothing is known of the artifacts that it has loaded.
//
// Nothing is known either before a router was asked for the first time after a start; reconcilers wait for that, so that a restart of the
// operator changes no status.
package echo

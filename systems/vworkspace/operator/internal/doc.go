// SPDX-License-Identifier: Apache-2.0

// Package internal holds the packages of the vWorkspace operator: one for each kind, with a pass generated from ../../catalog.yaml,
// and those that they share.
//
//	applicationinstance operation cluster    gather (all I/O), judge (pure), the wiring
//	agent controlplane                       the pull protocol, and a control plane with faults
//	engine                                   the six engines of operations
//	claim window probe                       approvals, maintenance windows, readiness checks
//	webhook                                  approval claims at admission, with certificates of its own
//	served jobs kit operator                 kinds that come and go, jobs, environment and transitions, the manager
package internal

//go:generate go run -C ../../../.. ./cmd/tristate gen go systems/vworkspace/catalog.yaml --out systems/vworkspace/operator/internal

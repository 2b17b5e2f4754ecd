// SPDX-License-Identifier: Apache-2.0

// Package internal holds the packages of the kars operator: one for each kind, with a pass generated from ../../catalog.yaml, and those
// that they share.
//
//	karssandbox ... egressapproval   gather (all I/O), judge (pure), the wiring
//	kit                              references between kinds, published artifacts, how far the routers are
//	echo, router                     the protocol between routers and operator, and the router
//	digest, artifact, jwks, corpus   digests, signed artifacts, OIDC metadata, evaluations
//	operator                         the manager
//	programs, demo                   all programs in one binary, and the story of make demo
package internal

//go:generate go run -C ../../../.. ./cmd/tristate gen go systems/kars/catalog.yaml --out systems/kars/operator/internal

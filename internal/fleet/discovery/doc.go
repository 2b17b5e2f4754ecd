// SPDX-License-Identifier: Apache-2.0

// Package discovery asks an API server which types it serves, and finds types by the words that people use for them.
//
//	types, err := discovery.New(config, warn)
//	resource, err := types.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
//
// It asks for aggregated discovery (Kubernetes 1.26 and later), which is two requests, and reads the list of each version where a server
// does not have it. Groups and versions keep the server's order, so two runs give the same answer; client-go's client returns aggregated
// lists in random order. Words mean what they mean to kubectl: plural, singular, kind, short name, each with or without a group or the
// beginning of one.
//
// client-go's packages discovery and restmapper do the same, but import the Go types of every API of Kubernetes and of OpenAPI: 93
// packages, which this one is there to avoid. The tests hold both to the same results.
package discovery

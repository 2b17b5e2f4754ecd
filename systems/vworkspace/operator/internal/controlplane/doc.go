// SPDX-License-Identifier: Apache-2.0

// Package controlplane is a control plane of the pull protocol for tests and the demo: TLS, registration, rotation, long poll, jobs,
// events, and a switch for every failure that the operator has to survive.
//
//	server, err := controlplane.New(controlplane.Options{BootstrapToken: "..."})
//	err = server.Up("127.0.0.1:0")
//	server.Fail(controlplane.Events, controlplane.Fault{Status: 503})
//	server.Down()                                 // the port is closed
//
// Events are deduplicated by their identity, key and sequence number, so that [Server.Received] has each transition once, in the order of
// arrival, and [Server.Duplicates] counts the repetitions.
//
// It keeps everything in memory, has no users and no interface for people. It is not a control plane for production.
package controlplane

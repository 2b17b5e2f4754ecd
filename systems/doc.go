// SPDX-License-Identifier: Apache-2.0

// Package stories holds the test scripts for the conditions of the shipped catalogs, one folder per system.
//
// A story is one txtar archive; package story says how it is written and runs it, in memory on virtual time or on a real API
// server. A story writes only what the system itself and its providers would write: specifications, leaf conditions and plain
// status fields. Everything else is derived, and the story says what is expected of it.
//
//	cluster-api/provisioning     the demo, in this order: a cluster comes up,
//	cluster-api/ssh-key-missing  fails and recovers,
//	cluster-api/upgrade          and is upgraded
//	cluster-api/cells-KIND       every cell that a provider reports about a kind
//
// Together the stories of a system reach every condition type of its catalogs with every status that it can have.
package stories

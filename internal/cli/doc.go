// SPDX-License-Identifier: Apache-2.0

// Package cli is the tristate command: one file per subcommand, each with its options, how they are read, and what it does with
// them. Streams, environment and clock come in with [App], so that a test is a call.
package cli

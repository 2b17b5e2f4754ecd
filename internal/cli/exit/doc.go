// SPDX-License-Identifier: Apache-2.0

// Package exit holds the exit codes of the command, each of which means one thing in every subcommand, and the errors that carry them. It
// prints nothing and ends nothing.
//
//	return exit.With(exit.NotFound, fmt.Errorf("no objects in %s", file))
package exit

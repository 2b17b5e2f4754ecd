// SPDX-License-Identifier: Apache-2.0

// Package app is the process of a command: streams, environment, clock and terminal, all of which a test replaces. Commands
// read objects of files, report messages and draw frames through it. It knows nothing of clusters and of flags.
//
//	a := &app.App{Out: &out, Err: &errs, Now: clock, Name: "tristate"}
//	a.Reportf("%d objects could not be read", n)
package app

// SPDX-License-Identifier: Apache-2.0

// Package cli is the tristate command. Each subcommand is a package below it with its flags and a run function; this package joins them,
// adds the exit codes to their help, and runs the process. Streams, environment and clock come in with [App], so that a test is a call:
//
//	a := &cli.App{Out: &out, Err: &errs, Env: os.Getenv, Now: time.Now, Name: "tristate"}
//	code := a.Run(ctx, []string{"status", "-f", "dump.yaml"})
//
// Packages that commands share: app is the process, exit the exit codes, flags the shared flags and arguments, view the common part of
// commands that show objects.
package cli

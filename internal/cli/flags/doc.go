// SPDX-License-Identifier: Apache-2.0

// Package flags holds the flags and arguments that several commands share: they choose catalogs, a cluster and objects, and a shell
// completes them. It reads no objects but catalogs; commands do that.
//
//	var c flags.Connection
//	c.Add(cmd.Flags())
//	targets, err := flags.ParseTargets(args) // deploy/web
//	cluster, err := c.Connect(ctx, a)
package flags

// SPDX-License-Identifier: Apache-2.0

// Package view is the common part of status, tree and why: flags, reading objects of files or a cluster with the catalogs that judge them,
// machine-readable output, errors of reading with their exit code, --watch, and several contexts at once. It draws nothing: each command
// renders its own answer.
//
//	v := view.New(a, view.Options{Below: true})
//	v.Add(cmd)
//	...
//	return v.Answer(ctx, args, show)
package view

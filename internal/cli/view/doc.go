// SPDX-License-Identifier: Apache-2.0

// Package view is what status, tree and why have in common: flags, reading objects of files or a cluster with the catalogs that judge them,
// machine-readable output, what could not be read and the exit code it leads to, --watch, and several contexts at once. It draws nothing:
// each command renders its own answer.
//
//	v := view.New(a, view.Options{Below: true})
//	v.Add(cmd)
//	...
//	return v.Repeat(ctx, targets, func() error { return show(ctx, v, targets) })
package view

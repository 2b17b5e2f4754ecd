// SPDX-License-Identifier: Apache-2.0

// Package run is the run command: it starts the controller with catalogs and a connection, or with --dry-run prints the writes that the
// controller would make. The controller itself is package controller.
//
//	tristate run --manage Machine --dry-run
package run

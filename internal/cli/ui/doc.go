// SPDX-License-Identifier: Apache-2.0

// Package ui is the ui command: it serves the page of a cluster, of several, or of files, on this machine alone by default. Rows come from
// package rows, answers from package server, the page from internal/cli/page.
//
//	tristate ui -f dump.yaml
package ui

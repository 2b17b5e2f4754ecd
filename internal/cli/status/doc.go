// SPDX-License-Identifier: Apache-2.0

// Package status is the status command: it judges objects, with a line for each, filters and sorts them, and without arguments shows an
// overview of the unhealthy ones. With --watch only changes are judged and printed; several contexts become columns of one table. Verdicts
// come from package view, tables from package render.
//
//	tristate status deploy/web -o wide
package status

// SPDX-License-Identifier: Apache-2.0

// Package wait is the wait command: it follows objects on watches, or reads them once from files, until the machine of internal/fleet/wait
// decides, prints the progress, and reports how the wait ended, with causes. The machine has the rules.
//
//	tristate wait deploy/web --for condition=Ready --timeout 5m
package wait

// SPDX-License-Identifier: Apache-2.0

// Package vworkspace has the tests that run the whole operator: every row of the document "Conditions" of vWorkspace, from its real trigger, on a real
// API server. The programs are in cmd, the kinds in api, everything else in internal.
package vworkspace

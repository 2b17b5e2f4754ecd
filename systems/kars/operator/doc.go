// SPDX-License-Identifier: Apache-2.0

// Package kars has the tests that run the whole operator: every row of the document "Conditions" of kars, from its real trigger, on a real
// API server. The programs are in cmd, the kinds in api/v1alpha1, everything else in internal.
package kars

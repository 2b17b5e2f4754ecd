// SPDX-License-Identifier: Apache-2.0

// Package check is the check command: it reads the evidence that the command line names, runs the checks of internal/check on it, and
// prints the report. The checks themselves are below internal/check.
//
//	tristate check catalogs/ crds/ --source .
package check

// SPDX-License-Identifier: Apache-2.0

// Package compare is the compare command: it shows which verdicts changed between two dumps, moments or clusters.
//
//	tristate compare before.json context=prod -A
package compare

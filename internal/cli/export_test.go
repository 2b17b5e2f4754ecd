// SPDX-License-Identifier: Apache-2.0

package cli

// Severity is the order of exit codes, for the page about them.
var Severity = severity

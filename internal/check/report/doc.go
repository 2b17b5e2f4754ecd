// SPDX-License-Identifier: Apache-2.0

// Package report writes the results of a run: text with the source line and a caret, JSON, SARIF 2.1.0, JUnit, and annotations of GitHub.
// Each is a pure function from a [check.Report]; the summary names skipped checks and exceptions, so that a report never looks more
// complete than it is.
package report

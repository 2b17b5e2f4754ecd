// SPDX-License-Identifier: Apache-2.0

// Package partial decides whether an answer depends on something that could not be read. A [Reading] collects the errors of one answer,
// each with a [Need], and knows three outcomes:
//
//   - [Complete]: everything was read.
//   - [Incomplete]: something could not be read, and the answer is right without it. A line names it, and the exit code stays.
//   - [Unknown]: nothing was seen, or the answer depends on something that could not be read. The exit code comes from the errors.
//
// Every command that reads objects asks it for its lines, for the errors of -o json and for its exit code. It reads and prints nothing.
package partial

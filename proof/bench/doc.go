// SPDX-License-Identifier: Apache-2.0

// Package bench measures package conditions next to the libraries that operators write conditions with today, in one
// process and one run, on the same facts. Compare ratios: absolute figures depend on the machine and on who else uses it.
//
// The program cmd/table prints the table (make bench); go test -bench . runs the same cases.
package bench

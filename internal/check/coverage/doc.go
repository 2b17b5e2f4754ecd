// SPDX-License-Identifier: Apache-2.0

// Package coverage counts, for each kind that is checked, how many of its declared cells (type, status, reason) code writes, objects and
// their history show, and documents list.
//
// Rules:
//
//   - A column exists only if there is evidence for it: without scanned code the table has no column for code.
//   - A site of code whose type or status is not known counts for every cell that it can write. A site belongs to the kinds that it names,
//     or to all.
//   - A document lists a cell if a table below a heading with the name of the kind has the reason.
//   - A cell without a reason counts by its type and status.
//
// It judges nothing: undeclared cells are findings of the checks.
//
//	fmt.Print(coverage.Text(coverage.Of(evidence)))
package coverage

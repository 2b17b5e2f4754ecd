// SPDX-License-Identifier: Apache-2.0

// Package statement reads the record of the five documents that Tristate follows: every statement with its state, the facts of its tables,
// and the tests that show it. The record is systems/SYSTEM/statements.tsv; the page next to it is generated from it.
//
//	record, err := statement.Read(os.DirFS(root), "kars")
//	for _, s := range record { tests := s.Tests ... }
//
// A record has a header and one line for each statement, with six columns that are separated by tabs; "-" is an empty one:
//
//   - number: 1, 2, 3 ... in the order of the document.
//   - state: see [State].
//   - statement: what the document says, in words of this project.
//   - cells: the facts of a table or an example, separated by "; ": "KIND TYPE STATUS REASON", and a severity where the document has one.
//     "-" is a field that the document leaves open.
//   - tests: what shows it, separated by "; ": "FOLDER.TestName", "FOLDER.TestName/subtest", or a script or story, by its path. A done or
//     declared statement has at least one. A statement in prose (it has no cells) needs one that runs the operator: a test of a function
//     shows that a word was written, and not when. See [Tests.Check].
//   - open: what is missing, or why the statement is declared to be otherwise. Done statements have none, all others do.
//
// The package is for tests only.
package statement

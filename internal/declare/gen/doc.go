// SPDX-License-Identifier: Apache-2.0

// Package gen makes products of a catalog. Each is a pure function from a [catalog.Kind] to the content of a file:
// deterministic, complete, ending in a newline, and formatted as its language wants it.
//
//	Go    constants with documentation, and a Pass whose calls are the declared cells and no others
//	Rust  constants
//
// In Go a wrong (type, status, reason) does not compile: each type is a value with one method per reason, and the
// reason decides the status. A fact of the catalog is a method of Pass, which reports the cells of all its types; a
// cell that only facts have is no method of its type. If the class of the cell is transient or terminal, or the message
// of the catalog has %s, the method formats a message as fmt.Printf does, which vet knows. Otherwise it has no
// parameter. The constants of ReadyReason are the cells of Ready as values, for Because of ReadyCondition. The check
// code/switch reports incomplete switches over them. Absent reports that a condition is not in the list.
//
// Where a reason goes with several statuses the method names both (SpecInvalidFalse); a cell without a
// reason is named after its status (True). Names that are words of the language, or of the generated code, or that would be the same, are
// distinguished by a number or an underscore.
//
// A pass of generated code that changes nothing allocates nothing as long as its result stays in the reconciler.
package gen

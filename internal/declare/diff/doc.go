// SPDX-License-Identifier: Apache-2.0

// Package diff classifies the changes between two versions of catalogs by their effect on those who read the conditions.
//
//	changes := diff.Compare(before, after)
//
// Rules:
//
//   - A change is breaking where a client that relied on the old vocabulary gets a wrong answer, needs a note where people should hear of
//     it, and is compatible otherwise.
//   - A name that was removed while one with the same meaning, or a similar name, was added is a rename without an alias; the message names
//     which alias to add. A name that is still read as an alias, or is renamed by a deprecation, was not removed.
//   - A name that is removed after it was deprecated needs a note; it should be listed as retired.
//   - The rule of a field is its tag in the model. A change of a field without one is the breaking change "unhandled-change".
//   - Changes come in the order of kinds, types and reasons.
//
// It compares declarations, not objects, and reads no files.
package diff

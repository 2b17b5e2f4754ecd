// SPDX-License-Identifier: Apache-2.0

// Package docs writes the reference of conditions from catalogs, as Markdown and for JSON.
//
//	page := docs.Page("Conditions", set.Kinds())
//	text, err := docs.Update("conditions.md", text, set.Kinds())
//
// Rules:
//
//   - A page has a section for each kind, with a table of its types, and below it one for each type: meaning, a row for each status and
//     reason in the order of precedence, remedies, and deprecations.
//   - A region of a Markdown file is replaced: it begins with a comment <!-- tristate:begin KIND.group --> and ends with
//     <!-- tristate:end -->. KIND alone is enough where one kind has the name; * means every kind, and KIND/TYPE for one type. Text
//     outside of regions is never touched, and a mark in a fenced block is only an example.
//   - A region that has no end, begins within another one or names an unknown kind is an error with its line.
//   - The same catalogs produce the same text.
package docs

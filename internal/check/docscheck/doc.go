// SPDX-License-Identifier: Apache-2.0

// Package docscheck compares Markdown with the catalogs: regions that tristate docs writes are up to date, tables that people keep by hand
// have every declared name, and name nothing that is not declared.
//
// A table belongs to a kind if a heading above it has the name of the kind, or if it lists mostly names that the kind
// declares. Other tables and other text are not read. It compares names and not sentences. Examples of objects are
// checked by the rules for objects that do not depend on time.
package docscheck

// SPDX-License-Identifier: Apache-2.0

// Package explain is the command that documents the catalog format and what catalogs declare.
//
//	tristate explain spec.conditions.presence        a field of the format, by its path or its name
//	tristate explain ToolPolicy                      the conditions and relations of a kind, and what a tree shows below it
//	tristate explain ToolPolicy.Ready                the reasons of a condition type
//	tristate explain ToolPolicy.Ready.RouterOutdated one reason: status, class, meaning, remedy
//	tristate explain --schema                        the JSON Schema of the format
//
// The text about fields is that of the JSON Schema, which is made from the model of package catalog; the text about kinds is that of
// their catalogs. No text is written twice.
package explain

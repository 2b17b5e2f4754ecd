// SPDX-License-Identifier: Apache-2.0

// Package catalog is the model of a catalog, the declaration of one kind's conditions, and its loader.
//
// A catalog is a YAML document (docs/catalog-format.md) or a ConditionCatalog object with the same content. Loading is strict
// and goes in three steps, each of which reports everything wrong at once, with file, line, column and a suggestion:
//
//	Parse    text      -> Source  unknown keys, wrong types, values outside of their enumeration
//	Compile  Source    -> Kind    names, cells, relations, expressions, cycles within the kind
//	NewSet   Kinds     -> Set     kinds declared twice, conditions that other kinds do not declare, cycles across kinds
//
// Load does all three. Valid catalogs are returned with the error, so that one bad catalog does not stop the others.
//
// A kind has its conditions in one list, or with "[*]" in spec.path in one for each element of another list; [Kind.List] then returns the
// worst of each type, and nothing can be derived. The dialect has the defaults and the merge rules by which
// conditions are derived ([conditions.Dialect]); anything that these rules lack is an error.
//
// The package knows no client and no clock. It does not look at objects: packages relation and derive do.
package catalog

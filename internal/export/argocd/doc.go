// SPDX-License-Identifier: Apache-2.0

// Package argocd writes health checks in Lua for Argo CD from catalogs and rule packs.
//
// A script is a table of what the catalog declares and a reader of such tables, which is the same for every kind. Argo CD runs the scripts
// of users in a Lua 5.1 without a string library, for at most a second, and an error of a script fails the complete application: the reader
// looks at the type of every value before it uses it, and finds the bytes of a text, where it has to, by comparing prefixes.
//
// Expressions of rules are translated from their checked form. An error, as of a field that does not exist, is a value that && and || may
// absorb, as in CEL. A rule whose expression needs a function that Lua cannot have (time, quantities, regular expressions) is left out and
// listed as a difference.
//
// A script does not have the conventions by which package verdict looks at conditions, fields and words that no catalog declares: also a
// difference.
package argocd

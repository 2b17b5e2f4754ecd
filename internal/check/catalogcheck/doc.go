// SPDX-License-Identifier: Apache-2.0

// Package catalogcheck compares declarations with the rules of catalogs: names, cells, meanings, summaries, aliases, and the rules of the dialect.
//
// Errors of the loader are reported here under the id of its rule, by the code of the error and never by its message; what the loader lets
// through because it can be read, but should not be written, the checks find themselves.
//
// It reads declarations only: whether code and objects follow them is checked by the other families.
package catalogcheck

// SPDX-License-Identifier: Apache-2.0

// Package catalogcheck compares declarations with the rules of catalogs: names, cells, meanings, summaries, aliases, and the rules of the
// dialect.
//
// An error of the loader is reported under the id of its rule, by its code and never by its message. The checks report
// declarations that can be loaded, but should not be written.
//
// It reads declarations only: whether code and objects follow them is checked by the other families.
package catalogcheck

// SPDX-License-Identifier: Apache-2.0

// Package catalogcheck holds declarations to the rules of catalogs: names, cells, meanings, summaries, aliases, and what the dialect allows.
//
// What the loader finds is reported here under the id of its rule, by the code of the error and never by its message; what the loader lets
// through because it can be read, but should not be written, the checks find themselves.
//
// It looks at declarations only: whether anybody keeps them, the other families say.
package catalogcheck

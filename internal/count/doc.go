// SPDX-License-Identifier: Apache-2.0

// Package count writes numbers with their nouns, for messages.
//
//	count.Of(1, "catalog")   // 1 catalog
//	count.Of(0, "entry")     // 0 entries
//
// Nouns are regular English ones, in lower case; nothing is translated.
package count

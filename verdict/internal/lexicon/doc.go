// SPDX-License-Identifier: Apache-2.0

// Package lexicon knows what words mean: reasons, messages, states and the names of condition types. The words are data (words.tsv,
// lists.tsv). It knows no object and no rule.
//
//	lexicon.Default.MeaningOf("ImagePullFailed") // Broken
package lexicon

// SPDX-License-Identifier: Apache-2.0

// Package corpus is the hidden corpus command: it compares verdicts with a corpus of objects whose health is asserted, for the developers
// of rules. The counting is done by internal/prove/score.
//
//	tristate corpus ../shared/corpus --generic
package corpus

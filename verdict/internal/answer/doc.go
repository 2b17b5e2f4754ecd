// SPDX-License-Identifier: Apache-2.0

// Package answer has the words that all parts of the engine share: an object with what is known of its kind ([Subject]), and the [Answer]
// to it while it is found. It decides nothing. Package verdict has the same words for users.
package answer

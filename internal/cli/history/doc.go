// SPDX-License-Identifier: Apache-2.0

// Package history is the history command: it prints how the verdict and the conditions of an object changed, as the store of `tristate ui`
// and `tristate serve` has it, and before that as the object itself says.
//
//	tristate history deploy/web -n shop --since 2h
package history

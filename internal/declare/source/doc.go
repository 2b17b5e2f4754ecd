// SPDX-License-Identifier: Apache-2.0

// Package source is the model of how code writes conditions: the places where a type, a status or a reason enters a condition, their
// values as far as they are known, and constants. Package goscan fills it from Go code; the checks of family code read it.
//
// Rules:
//
//   - A site is a place where a reason is chosen. A helper that passes a parameter on is no site: its callers are.
//   - A value that cannot be resolved is reported as such, with the expression; it never disappears.
//   - Values resolved by the constants of an enumeration type are a bounded set, and marked as such.
//
// It knows no catalog and judges nothing.
package source

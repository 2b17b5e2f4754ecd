// SPDX-License-Identifier: Apache-2.0

// Package broken shows twelve broken objects to kubectl and to kstatus, by their own code, and writes the answers into docs/comparison.md.
package broken

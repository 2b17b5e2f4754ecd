// SPDX-License-Identifier: Apache-2.0

// Package house holds the tests of the house rules: which package may import which, what every file starts with, how long a
// file may get, and that every package says what it is. It has no code of its own.
package house

// SPDX-License-Identifier: Apache-2.0

// Package before has the code that docs/migrate-*.md replace, written with the libraries that it was written with. It is compiled, so that
// those pages show calls that exist.
package before

// SPDX-License-Identifier: Apache-2.0

// Package gen is the gen command: it writes the code that internal/declare/gen generates from catalogs. Files that it did not write are not
// replaced.
//
//	tristate gen go catalog.yaml --out api/
package gen

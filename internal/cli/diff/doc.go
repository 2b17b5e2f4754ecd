// SPDX-License-Identifier: Apache-2.0

// Package diff is the diff command: it prints the changes that internal/declare/diff finds between two versions of catalogs.
//
//	tristate diff git:main:catalogs catalogs
package diff

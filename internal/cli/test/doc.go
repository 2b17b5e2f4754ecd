// SPDX-License-Identifier: Apache-2.0

// Package test is the test command: it runs the cases and vocabularies next to catalogs, and reports rules that none of them reaches.
//
//	tristate test catalogs/packs
package test

// SPDX-License-Identifier: Apache-2.0

// Package codecheck compares code with the catalogs: reasons and types that it writes are declared, declared reasons are written, and
// writes do not lose the conditions of other writers.
//
// It reads the sites of package source. A site belongs to the kinds whose names are types at hand at its place; where none is, to every
// kind of the catalogs. A value that could not be resolved is a finding of its own and never judged.
package codecheck

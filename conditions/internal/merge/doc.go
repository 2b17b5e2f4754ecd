// SPDX-License-Identifier: Apache-2.0

// Package merge is the interface between the passes of package conditions and the rules of other condition libraries.
//
// A [Rules] value holds everything in which a library differs from the native rules: how it merges and mirrors conditions, how it orders
// a list, and the limits of its schema. The native rules are the zero value; they stand in package conditions, which also classifies the
// inputs of a merge and cuts the result of a library to the limits of the API server.
//
//	var Rules = merge.Rules{Merge: summarize, NoGenerations: true}
//
// To add a library: a package next to capiv1beta1, with one Rules value; a constant and a case in conditions/dialect.go; and an operation
// in the module oracle, which compares it with the library byte for byte.
//
// It is not an API: only package conditions and the packages below this one import it.
package merge

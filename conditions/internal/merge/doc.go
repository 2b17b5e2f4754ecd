// SPDX-License-Identifier: Apache-2.0

// Package merge has the rules by which conditions are merged: the native rules and the rules of another condition
// library.
//
// A [Rules] value holds everything in which a library differs from the native rules, which are the zero value. A new
// library needs a package next to capiv1beta1 with one Rules value, and a constant in conditions/dialect.go. It also
// needs an operation in the module oracle, which compares it with the library byte for byte.
//
// It is not an API: only package conditions and the packages below this one import it.
package merge

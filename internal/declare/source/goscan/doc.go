// SPDX-License-Identifier: Apache-2.0

// Package goscan reads Go modules for the places where reasons enter conditions. Packages are type-checked
// (golang.org/x/tools/go/packages), so a condition is known by the shape of its type and not by its name.
//
// A sink is a literal of a struct with the string fields Type, Status, Reason and Message, an assignment to its Reason, or a call of a
// setter from outside of the module: a function about conditions with a parameter called reason. From each sink values are followed back:
//
//	constants · local variables, by every assignment to them · fields, by everything the module assigns to them · results of functions of the
//	module, of the implementations of an interface, and of function values with that signature · elements of lists and maps
//
// A function whose parameter reaches a sink is a wrapper: its callers are the sites, to a fixed point. A value that
// leaves the module, is formatted, or is the reason of another condition is classified as such. A condition that is
// copied with its type and reason, into another version of its type or into a record without a transition time, is no
// site. The analysis ignores the order of assignments, so a set of values may be too large. It never misses a value of
// a set that it calls resolved, except through reflection and unsafe.
//
// In generated code each constant of a type such as ReadyReason is a cell, and its uses are sites. A switch over such a
// type is recorded if it has neither a default nor a case for each constant.
//
// Any folder of a module can be scanned; values are followed through the rest of the module. Dependencies are read from export data, or
// from source where they are not built, and never followed.
package goscan

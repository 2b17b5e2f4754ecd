// SPDX-License-Identifier: Apache-2.0

// Package graphcheck compares objects with the rules of the catalogs about related objects: nothing settled is ready over a
// dependent that is not, and a mirrored condition follows its origin.
//
// Relations are resolved as package relation does, among the objects that were read. An object that is not there is no finding: it may only
// be missing from the input.
package graphcheck

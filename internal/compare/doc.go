// SPDX-License-Identifier: Apache-2.0

// Package compare finds which verdicts differ between two answers about the same objects: two dumps, two moments, two clusters.
//
//	changes := compare.Lists(before, after)
//
// An object is the same in both if its group, kind, namespace and name are; its version may differ. Worse comes first. Objects
// with the same verdict are left out, whatever their message.
package compare

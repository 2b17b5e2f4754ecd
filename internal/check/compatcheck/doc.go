// SPDX-License-Identifier: Apache-2.0

// Package compatcheck compares catalogs with their earlier version: a client that relies on the old vocabulary must not get a wrong answer.
//
// Package diff finds and classifies the changes. A check is one of its rules, under the same name: a breaking change is
// an error, one that needs a note a warning, a compatible one an information. Rules without a check of their own report
// through compat/other-change, so that no change is left out. A finding is placed in the current catalog, with the
// earlier place as related; the place of a removed name is the nearest parent that is left.
//
// It does not know which releases lie between the versions: a name that was deprecated in the earlier one may be removed.
package compatcheck

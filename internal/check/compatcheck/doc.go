// SPDX-License-Identifier: Apache-2.0

// Package compatcheck holds catalogs to their earlier version: a client that relies on the old vocabulary must not get a wrong answer.
//
// Package diff finds and classifies the changes. A check is one of its rules, under the same name: a breaking change is an error, one that
// needs a note a warning, a compatible one an information. Rules without a check of their own report through compat/other-change, so that no
// change goes unreported. A finding stands where the catalog is now, with the earlier place beside it; the finding of a removed name stands at the
// nearest parent that is left.
//
// It does not know which releases lie between the versions: a name that was deprecated in the earlier one may be removed.
package compatcheck

// SPDX-License-Identifier: Apache-2.0

// Package conditionstest helps authors of operators to test what they write with package conditions. It works with the
// standard library's testing and with go-cmp; there are no matchers.
//
//	cmp.Diff(want, got, conditionstest.IgnoreTime())          compare lists without their times
//	result := conditionstest.Commit(t, pass)                  fail on anything undeclared
//	conditionstest.Quiet(t, func() conditions.Result {...})   a second pass writes nothing
//	timeline.Never(t, "Ready=True", "Compiled=True")          never the first before the second
//	coverage.Report()                                         which declared cells were never written
package conditionstest

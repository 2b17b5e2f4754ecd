// SPDX-License-Identifier: Apache-2.0

// Package conditionstest helps authors of operators to test conditions that they write with package conditions. It works with the
// standard library's testing and with go-cmp; there are no matchers.
//
//	cmp.Diff(want, got, conditionstest.IgnoreTime())          compare lists without their times
//	cmp.Diff(want, got, conditionstest.PinTime())             ... with times as an API server gives them back
//	pass := conditionstest.Strict(kind).Begin(...)            a type that is not reached fails the commit
//	result := conditionstest.Commit(t, pass)                  fail on anything undeclared
//	conditionstest.Quiet(t, func() conditions.Result {...})   a second pass writes nothing
//	cmp.Diff(want, conditionstest.Cells(result))              compare what was decided only
//	conditionstest.Golden(t, "testdata/cells", results)       ... with a table in a file
//	judge.Check(t), judge.Fuzz(f)                             a Judge over combinations of its facts, see Judge
//	timeline.Never(t, "Ready=True", "Compiled=True")          never the first before the second
//	timeline.Whenever(t, "Stalled=True", "Ready=False")       never the first without the second
//	timeline.Entered(t, "Ready=True", 1)                      it did not flap
//	timeline.Within(t, "Ready=True", time.Minute)             soon enough
//	coverage.Commit(t, kind, pass), coverage.Report()         which declared cells were never written, as text and JSON
package conditionstest

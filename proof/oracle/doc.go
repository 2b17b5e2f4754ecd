// SPDX-License-Identifier: Apache-2.0

// Package oracle holds package conditions against the libraries whose rules it promises to follow to the byte.
//
// An operation takes a case out of a string of bytes, computes it with both libraries and compares the results. Bytes come from
// a seeded generator (TestRandom, the number of cases is the flag -cases; TRISTATE_ORACLE=long compares more than a million),
// from native Go fuzzing (FuzzCAPIv1beta1 and others), or from a table. A mismatch is shrunk to the smallest case that still
// shows it.
//
// # Their own tests
//
// TestUpstream runs the unit tests of the libraries, as they come from the module cache, on our code: in a copy for the
// time of the test the functions that merge, mirror, set and patch are replaced by functions of testdata/upstream,
// which call ours. Cases that fail are listed with the reason; the list is empty today. The reconcilers of Cluster API
// are not run.
//
// # Left out
//
// Where upstream's answer depends on the order in which an unstable sort leaves equal elements, there is no one answer to
// compare with: two different invalid statuses or severities of equal rank. Cases are generated without them.
//
// Objects that upstream panics on have no answer to compare with; ours is an error or a reading without the wrong field.
//
// After a conflict, lists of patches are not compared: upstream stops at the first one, ours goes on.
package oracle

// SPDX-License-Identifier: Apache-2.0

// Package oracle holds package conditions against the libraries whose rules it promises to follow to the byte.
//
// An operation takes a case out of a string of bytes, computes it with both libraries and compares the results. Bytes come from
// a seeded generator (TestRandom, the number of cases is the flag -cases), from native Go fuzzing (FuzzCAPIv1beta1 and
// others), or from a table. A mismatch is shrunk to the smallest case that still shows it.
//
// # What is left out
//
// Where upstream's answer depends on the order in which an unstable sort leaves equal elements, there is no one answer to
// compare with: objects of one kind that share a name in aggregates, and two different invalid statuses or severities
// of equal rank. Cases are generated without them; that ours is constant there is a test of package conditions.
package oracle

// SPDX-License-Identifier: Apache-2.0

// Package kstatus shows what kstatus answers about the states that a catalog can reach. It also shows the conditions
// that an author adds for the answers that the catalog means: Reconciling, while something is under way, and Stalled,
// if it has failed. The dialect kstatus of a catalog writes them.
//
// kstatus knows four words for an object that exists, and two conditions that decide before everything else. A state is lost to it where
// the object has no status yet, or where Ready is False although nothing is left to do: no condition makes such an object Current or
// InProgress.
//
// [Engine] is kstatus itself, the library of cli-utils with which Helm and Flux wait: for --engine=kstatus, and for comparison.
package kstatus

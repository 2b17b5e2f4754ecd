// SPDX-License-Identifier: Apache-2.0

// Package consumers has what other tools say about an object without an export of this project: plain kstatus, which
// Helm 4 and Flux ask, kubectl wait and Argo CD. The first two are written here and compared with their own code. Argo
// CD's health checks are a part of Argo CD, so its answers about the states of shipped catalogs are recorded, each with
// a digest of its object. [Recorded] knows no other answers.
//
// The module proof/consumers/consumers records and compares the answers, and has a program that asks Argo CD itself.
package consumers

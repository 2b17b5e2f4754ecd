// SPDX-License-Identifier: Apache-2.0

// Package consumers asks the tools themselves what they say about objects: Argo CD's health checks, the kstatus of Helm
// 4 and Flux, Flux's expressions and kubectl wait. It is a module of its own, because these are large. Its tests
// compare the answers with those that the command has, and write the record of Argo CD's answers and the page of 1,000
// objects. Its program is compare --consumers with Argo CD built in.
package consumers

// SPDX-License-Identifier: Apache-2.0

// Package story runs test scripts for conditions over time: objects, leaf conditions, a clock, and the conditions expected.
//
// A story is one txtar archive. Its comment is the script, one command a line; its files are YAML objects and expected trees.
//
//	# A machine breaks, and the cluster says why.
//	apply machine.yaml
//	report AWSMachine/m InstanceReady=False SSHKeyMissing Warning "key \"ops\" not found"
//	settle
//	expect Machine/m Ready=False SSHKeyMissing Warning
//	-- machine.yaml --
//	...
//
// The same story runs on every [World]: in memory on virtual time ([MemoryWorld]), and on a real API server
// (package proof/story/live).
//
// [Verbs] documents the commands and [Syntax] the form of a line; the page docs/story-language.md is made from both.
//
// # Rules
//
//  1. A story writes leaves and specs only: a report to a derived type, a type, status, reason or severity that the catalog does
//     not declare, and objects with a status of their own are errors, found before the first command runs.
//  2. Every error has the place: file:line: message.
//  3. After each settle the invariants are checked (see [Violations]) and the cells present are collected (see [Coverage]).
//  4. A failed expectation does not stop a story, any other error does.
//  5. Nothing is printed: [Runner.Observe] is called for each step.
package story

// SPDX-License-Identifier: Apache-2.0

// Package story runs test scripts for conditions over time: objects, leaf conditions, a clock, and what must come of them.
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
// (package internal/live).
//
// # Commands
//
//	apply FILE...                 create the objects of the files, or replace all of them but their status; owner
//	                              references without uid get the uid of the owner
//	delete REF                    graceful where the object has finalizers
//	report REF TYPE=STATUS [REASON] [SEVERITY] ["MESSAGE"]
//	                              write a leaf condition as somebody else than Tristate; severity as declared, the
//	                              reason may be left out where one is declared for the status
//	report REF -TYPE              remove a leaf condition
//	status REF PATH=VALUE...      write plain status fields; values are YAML, null removes
//	set REF PATH=VALUE...         merge-patch other fields
//	settle                        wait until everything derived is quiet
//	sleep DURATION                move the clock (skipped in a world with a clock of its own)
//	needs virtual-time            the whole story is skipped in a world with a clock of its own
//	expect REF TYPE=STATUS [REASON] [SEVERITY] ["REGEXP"]
//	expect REF -TYPE              the condition is not there
//	gone REF                      the object is not there
//	tree REF FILE                 the plain tree is the file's content
//	writes N                      Tristate wrote N times since last asked (at most N outside of virtual time)
//	quiet                         another pass over everything writes nothing
//	note "TEXT"                   for people
//
// REF is Kind/name, Kind.group/name or Kind/namespace/name; the namespace is default where none is said. A path is
// field.field; a field with dots is ["a.b/c"] or has them escaped by a backslash. Text after # is a comment. A message or pattern stands in double
// quotes with the escapes of Go, or in back quotes.
//
// # Rules
//
//  1. A story writes leaves and specs only: a report to a derived type, a type, status, reason or severity that the catalog does
//     not declare, and objects with a status of their own are errors, found before the first command runs.
//  2. Every error has the place: file:line: message.
//  3. After each settle the invariants are checked (see [Violations]) and the cells present are collected (see [Coverage]).
//  4. A failed expectation does not stop a story, any other error does.
//  5. Nothing is printed: [Runner.Observe] sees each step.
package story

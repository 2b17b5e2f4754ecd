// SPDX-License-Identifier: Apache-2.0

// Package kstatus holds the kstatus engine of verdict to the upstream it reproduces, github.com/fluxcd/cli-utils.
//
// Objects are drawn at random from the vocabulary that kstatus reads, with wrong shapes mixed in, and both judge them:
// status, message, standard condition with reason and message, and the text of errors must be equal. The only
// documented difference: where upstream panics, ours returns an error.
//
// The default run compares some thousand objects, TRISTATE_ORACLE=long three million; -seed draws others.
package kstatus

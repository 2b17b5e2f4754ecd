// SPDX-License-Identifier: Apache-2.0

// Package internal holds the packages that the operators of this module share. Nothing in it knows a kind, a name or a label of one of them.
//
//	reconciler   one reconcile for all kinds: gather, act, judge, apply
//	enqueue      from an object that changed to the requests it causes
//	child        the objects that an operator writes, with server-side apply
//	field        values of status fields
//	world        for tests: a cluster with nodes, the operator with exactly its permissions, everything that was ever stored
//	contract     for tests: an operator is held to its catalog
//	kubelet      for tests and demos: the containers of pods as processes of this machine
package internal

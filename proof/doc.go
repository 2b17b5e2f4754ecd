// SPDX-License-Identifier: Apache-2.0

// Package internal holds the packages that the operators of this module share. Nothing in it knows a kind, a name or a label of one of
// them. All of it is for tests and demos: what an operator is made of is in package operator.
//
//	world        for tests: a cluster with nodes, the operator with exactly its permissions, every status that was ever stored
//	contract     for tests: an operator is compared with its catalog
//	stage        for demos: a story on a control plane of its own
//	kubelet      for tests and demos: the containers of pods as processes of this machine
package internal

// SPDX-License-Identifier: Apache-2.0

// Package scaffold is the command that starts a catalog: one of everything, with a comment at each thing that has to be decided.
//
//	tristate init ToolPolicy.kars.example.com
//
// writes catalog.yaml, story.txtar (a story about it that passes, with workloads.yaml), generate.go (the go:generate line) and
// catalog.schema.json. No file that exists is overwritten.
//
//	tristate init --operator Shop.example.com --dir shop-operator
//
// writes a project that runs: an operator on package operator of the module github.com/tristate/tristate/operator.
package scaffold

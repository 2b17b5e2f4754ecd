// SPDX-License-Identifier: Apache-2.0

// Package infer is the infer command: it feeds definitions, objects and code to internal/declare/infer, and prints
// the draft of a catalog.
//
//	tristate infer config/crd --code ./internal
package infer

// SPDX-License-Identifier: Apache-2.0

// Package tree is the tree command: it shows the hierarchy below or above an object with the verdict of each, and the cause that explains
// the top. Hierarchies come from package relation, drawings from package render.
//
//	tristate tree cluster/prod
package tree

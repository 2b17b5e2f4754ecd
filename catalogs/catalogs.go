// SPDX-License-Identifier: Apache-2.0

package catalogs

import "embed"

// Kubernetes holds the catalogs of Kubernetes itself, below kubernetes, one file per API group. Their trees and remedies are used; their
// conditions are for readers, as in explain and the documentation: the kinds are judged by the rules for built-in kinds, which also read
// what is not a condition.
//
//go:embed kubernetes/*.yaml
var Kubernetes embed.FS

// Packs holds the rule packs, below packs: catalogs that only say how kinds of other systems are judged, what a tree shows below them and
// what can be done about their reasons, one file per system. Their cases are in packs/testdata.
//
//go:embed packs/*.yaml
var Packs embed.FS

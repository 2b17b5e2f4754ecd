// SPDX-License-Identifier: Apache-2.0

package catalogs

import "embed"

// FS holds the catalogs, one file per system, at its root.
//
//go:embed *.yaml
var FS embed.FS

// Kubernetes holds the catalogs of Kubernetes itself, below kubernetes, one file per API group. They are for readers, as in explain and the
// documentation: the kinds are judged by the rules for built-in kinds, which also read what is not a condition.
//
//go:embed kubernetes/*.yaml
var Kubernetes embed.FS

// Packs holds the rule packs, below packs: catalogs that only say how kinds of other systems are judged, one file per
// system. Their cases stand in packs/testdata.
//
//go:embed packs/*.yaml
var Packs embed.FS

// Knowledge of kinds beyond catalogs and packs: the relations that hold without one and the marks of the members of inventories
// (package relation), and the remedies of kinds of Kubernetes (package render). Each file has its rules.
var (
	//go:embed known/relations.tsv
	Relations string
	//go:embed known/marks.tsv
	Marks string
	//go:embed known/remedies.yaml
	Remedies []byte
)

// CRDs holds the CustomResourceDefinitions, one file per system, below crds. They are for demos and tests: the system
// itself brings its own, which are larger.
//
//go:embed crds
var CRDs embed.FS

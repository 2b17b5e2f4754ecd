// SPDX-License-Identifier: Apache-2.0

package catalog

import _ "embed"

//go:generate go run ../../../tools/schemagen -model model.go -schema schema.json -crd crd.yaml

// SchemaJSON is the JSON Schema (draft 2020-12) of a catalog document, for editors. It says what [Parse] checks.
//
//go:embed schema.json
var SchemaJSON []byte

// CRDYAML is the CustomResourceDefinition of ConditionCatalog objects: cluster-scoped, with a status for the conditions of
// the catalogs themselves.
//
//go:embed crd.yaml
var CRDYAML []byte

// The condition of a ConditionCatalog object and its reasons.
const (
	TypeAccepted   = "Accepted" // the catalog is in use
	ReasonAccepted = "Accepted" // True
	ReasonInvalid  = "Invalid"  // False: it is malformed; the message has the errors
	ReasonConflict = "Conflict" // False: another catalog declares the kind
)

// SPDX-License-Identifier: Apache-2.0

package catalog

import _ "embed"

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

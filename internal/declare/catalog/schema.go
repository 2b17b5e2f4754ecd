// SPDX-License-Identifier: Apache-2.0

package catalog

import _ "embed"

//go:generate go run ../../../tools/schemagen -model model.go -schema schema.json -crd crd.yaml

// SchemaJSON is the JSON Schema (draft 2020-12) of a catalog document, for editors. It says what [Parse] checks.
//
//go:embed schema.json
var SchemaJSON []byte

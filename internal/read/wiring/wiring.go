// SPDX-License-Identifier: Apache-2.0

package wiring

import _ "embed"

// Document is the catalog, of a document for each kind.
//
//go:embed kubernetes.yaml
var Document []byte

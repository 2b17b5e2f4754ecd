// SPDX-License-Identifier: Apache-2.0

// Package shop holds a dump of a namespace whose roll-out has failed, as the command's example:shop.
package shop

import _ "embed"

// Dump is shop.yaml.
//
//go:embed shop.yaml
var Dump []byte

// SPDX-License-Identifier: Apache-2.0

// Package config has the generated definitions of the nine kinds.
package config

import "embed"

// CRDs are the CustomResourceDefinitions, crd/*.yaml.
//
//go:embed crd/*.yaml
var CRDs embed.FS

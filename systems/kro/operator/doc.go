// SPDX-License-Identifier: Apache-2.0

// Package kro has the tests that run the whole operator on a real API server, alone and next to kro 0.9.4, and the files that the demo
// needs. The program is in cmd/kro-operator, everything else in internal.
package kro

import "embed"

// CRDs are the CustomResourceDefinitions of the operator, config/crd/*.yaml.
//
//go:embed config/crd/*.yaml
var CRDs embed.FS

// WebApp is a definition: a Deployment, a Service and a ConfigMap.
//
//go:embed testdata/webapp.yaml
var WebApp string

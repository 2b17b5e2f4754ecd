// SPDX-License-Identifier: Apache-2.0

// Package vworkspace has the definitions of the kinds, and the tests that run the whole operator: every row of the document "Conditions" of
// vWorkspace, from its real trigger, on a real API server. The programs are in cmd, the kinds in api, everything else in internal.
package vworkspace

import "embed"

// CRDs are the CustomResourceDefinitions of the three kinds, and those of Flux that tests and the demo install.
//
//go:embed config/crd/*.yaml testdata/flux/*.yaml
var CRDs embed.FS

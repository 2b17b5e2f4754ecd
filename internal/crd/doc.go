// SPDX-License-Identifier: Apache-2.0

// Package crd reads CustomResourceDefinitions: which kind one defines, under which names and versions it is served, and how the API server
// merges a list of it. It knows version v1 only, and no client.
//
//	d, err := crd.Read(object.Content)
//	if err == nil && d.Established() && d.ListIsMap("v1", []string{"status", "conditions"}) { ... }
package crd

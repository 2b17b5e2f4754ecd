// SPDX-License-Identifier: Apache-2.0

// Package crd reads CustomResourceDefinitions, of versions v1 and v1beta1: which kind one defines, under which names and versions it is
// served, what it promises of the status of objects, and how the API server merges a list of it. Other packages use its types and walk no
// definition themselves. It knows no client.
//
//	d, err := crd.Read(object.Content)
//	if err == nil && d.Established() && d.ListIsMap("v1", []string{"status", "conditions"}) { ... }
package crd

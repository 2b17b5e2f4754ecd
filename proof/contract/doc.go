// SPDX-License-Identifier: Apache-2.0

// Package contract holds an operator of this module to its catalog, from its tests: its definitions, its code and its generated
// passes.
//
//	var kept = contract.Operator{Catalog: "../../catalogs/gadget.yaml", Kinds: 3}
//
//	func TestGenerated(t *testing.T) { kept.Generated(t) }
//
// Paths are relative to the folder of the test; definitions are in config/crd below it.
package contract

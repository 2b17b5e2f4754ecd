// SPDX-License-Identifier: Apache-2.0

package vworkspace_test

import (
	"testing"

	"github.com/tristate/tristate/proof/contract"
)

const page = "../README.md"

var kept = contract.Operator{Catalog: catalogFile, Kinds: len(kinds)}

// TestCheck: the definitions keep the contract, and the code writes every declared cell and no other.
func TestCheck(t *testing.T) { kept.Check(t, "--source", ".") }

func TestConformance(t *testing.T) { kept.Conformance(t) }

// TestGenerated: the passes are those of the catalog.
func TestGenerated(t *testing.T) { kept.Generated(t) }

// SPDX-License-Identifier: Apache-2.0

package wiring_test

import (
	"testing"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/read/wiring"
)

func catalogs() (*catalog.Set, error) {
	return catalog.Load(map[string][]byte{"kubernetes.yaml": wiring.Document})
}

// TestCatalogs: the document loads.
func TestCatalogs(t *testing.T) {
	if _, err := catalogs(); err != nil {
		t.Fatal(err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package catalogs_test

import (
	"testing"

	"github.com/tristate/tristate/catalog"
	"github.com/tristate/tristate/catalogs"
)

func TestLoad(t *testing.T) {
	set, err := catalog.LoadFS(catalogs.FS, ".")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Kinds()) == 0 {
		t.Fatal("no catalog was loaded")
	}
}

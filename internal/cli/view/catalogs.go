// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/cluster"
)

// CatalogType is the type of the catalogs of a cluster.
const CatalogType = "conditioncatalogs.v1alpha1.tristate.dev"

// Reload reads the catalogs again, whose files and objects may have changed. It returns the set in use, and whether it is another one than
// after the last call. An error in a catalog is reported once, and its former content stays in use.
func (v *View) Reload() (set *catalog.Set, changed bool) {
	files, err := v.Read()
	if err == nil {
		changed, err = v.packs.Update(files)
	}
	warning := ""
	if err != nil {
		warning = err.Error()
	}
	if warning != v.warned && warning != "" {
		v.App.Reportf("warning: %s", warning)
	}
	v.warned = warning
	if changed {
		v.Set = v.packs.Set()
	}
	return v.Set, changed
}

// TakeCatalog handles an event of the catalogs of a cluster, for the next [View.Reload]. It returns false for a state.
func (v *View) TakeCatalog(e cluster.Event) bool {
	switch {
	case e.Object != nil:
		if err := v.FoundOne(e.Object.Content); err != nil {
			v.Cluster.Warn(err.Error())
		}
	case e.Gone.Name != "":
		v.Gone(e.Gone.Name)
	default:
		return false
	}
	return true
}

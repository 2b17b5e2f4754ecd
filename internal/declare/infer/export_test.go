// SPDX-License-Identifier: Apache-2.0

package infer

import "github.com/tristate/tristate/internal/declare/catalog"

// Documents returns the catalogs of the draft.
func (d *Draft) Documents() []*catalog.Document {
	var out []*catalog.Document
	for i := range d.kinds {
		doc, _ := d.document(i)
		out = append(out, doc)
	}
	return out
}

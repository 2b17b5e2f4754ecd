// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
)

// Shipped returns the rule packs that come with the module. They are read once: they are the same for everybody, and costly to compile.
var Shipped = sync.OnceValues(func() (*catalog.Set, error) { return catalog.LoadFS(catalogs.Packs, "packs") })

// byGroup finds the kinds of an API group that shipped packs judge; documents are read at the first question, invalid ones left out.
var byGroup = sync.OnceValue(func() map[string]func() map[string]versions {
	out, documents := map[string]func() map[string]versions{}, map[string][]func() *catalog.Kind{}
	for _, d := range catalog.DocumentsWith("for: {", catalogs.Packs) {
		compiled := sync.OnceValue(func() *catalog.Kind {
			k, _ := catalog.CompileShipped(d.Source())
			return k
		})
		for _, group := range d.Groups() {
			documents[group] = append(documents[group], compiled)
		}
	}
	for group, list := range documents {
		out[group] = sync.OnceValue(func() map[string]versions {
			known := knowing{}
			for _, compiled := range list {
				if k := compiled(); k != nil {
					set, _ := catalog.NewSet(k)
					known.add(set)
				}
			}
			return known[group]
		})
	}
	return out
})

// shippedFor returns the kinds of an API group that shipped packs judge.
func shippedFor(group string) map[string]versions {
	if kinds := byGroup()[group]; kinds != nil {
		return kinds()
	}
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Children finds which objects below an object count in its verdict: the catalogs that declare it. The zero value finds none.
type Children map[schema.GroupKind][]*catalog.Kind

// ChildrenOf returns the declarations of children in sets and, after them, in the shipped packs.
func ChildrenOf(sets ...*catalog.Set) Children {
	out := Children{}
	for _, set := range sets {
		out.add(set.Kinds())
	}
	out.add(shippedChildren())
	return out
}

// shippedChildren reads the shipped packs that declare children, once.
var shippedChildren = sync.OnceValue(func() (out []*catalog.Kind) {
	for _, d := range catalog.DocumentsWith("\n  children:", catalogs.Packs) {
		if k, err := catalog.CompileShipped(d.Source()); err == nil { // the tests of a pack report its errors
			out = append(append(out, k), k.Alike...)
		}
	}
	return out
})

func (c Children) add(kinds []*catalog.Kind) {
	for _, k := range kinds {
		if k.Counting != nil {
			c[k.For] = append(c[k.For], k)
		}
	}
}

// Of returns which children of an object count; nil if none does. A catalog for the kind decides before one for every kind of its group,
// and that before those for every group; of each, one's own before a shipped one. Of catalogs for every group the first whose when holds
// decides.
func (c Children) Of(gvk schema.GroupVersionKind, content map[string]any) *catalog.Counting {
	places := []schema.GroupKind{gvk.GroupKind(), {Group: gvk.Group, Kind: catalog.AnyKind}}
	if !catalog.OfKubernetes(gvk.Group) {
		places = append(places, schema.GroupKind{Group: catalog.AnyGroup, Kind: catalog.AnyKind})
	}
	for _, place := range places {
		for _, k := range c[place] {
			switch {
			case !k.Holds(gvk.Version):
			case holds(k, content):
				return k.Counting
			case place.Group != catalog.AnyGroup:
				return nil
			}
		}
	}
	return nil
}

// holds reports whether the children of an object count by a catalog.
func holds(k *catalog.Kind, content map[string]any) bool {
	if k.Counting.When == nil {
		return true
	}
	c := &expr.Context{Conditions: k.List, Canonical: func(_ map[string]any, name string) string { return k.Canonical(name) }}
	ok, err := k.Counting.When.Bool(c, expr.Values{Self: content, Variables: k.VariablesOf(content, c)})
	return ok && err == nil
}

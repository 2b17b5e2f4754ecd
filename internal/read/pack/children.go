// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/catalogs"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Children finds which objects below an object count in its verdict. The zero value finds none.
type Children struct {
	declared [2]map[schema.GroupKind][]*catalog.Kind // by catalogs of one's own, and by shipped packs
}

// ChildrenOf returns the declarations of children in sets and, after them, in the shipped packs.
func ChildrenOf(sets ...*catalog.Set) Children {
	own := map[schema.GroupKind][]*catalog.Kind{}
	for _, set := range sets {
		counting(own, set)
	}
	return Children{[2]map[schema.GroupKind][]*catalog.Kind{own, shippedChildren()}}
}

// shippedChildren reads the shipped packs that declare children, once.
var shippedChildren = sync.OnceValue(func() map[schema.GroupKind][]*catalog.Kind {
	out := map[schema.GroupKind][]*catalog.Kind{}
	files, _ := catalog.ReadFS(catalogs.Packs, "packs")
	for name, data := range files {
		if !bytes.Contains(data, []byte("\n  children:")) {
			continue
		}
		if set, err := catalog.LoadShipped(map[string][]byte{name: data}); err == nil { // the tests of a pack report its errors
			counting(out, set)
		}
	}
	return out
})

// counting adds the catalogs of a set that declare children.
func counting(to map[schema.GroupKind][]*catalog.Kind, set *catalog.Set) {
	for _, k := range set.Kinds() {
		if k.Counting != nil {
			to[k.For] = append(to[k.For], k)
		}
	}
}

// Of returns which children of an object count; nil if none does. A catalog for the kind decides before one for every kind of its group,
// and that before those for every group; of each, one's own before a shipped one. Of catalogs for every group the first whose when holds
// decides.
func (c Children) Of(gvk schema.GroupVersionKind, content map[string]any) *catalog.Counting {
	places := []schema.GroupKind{gvk.GroupKind(), {Group: gvk.Group, Kind: catalog.AnyKind}}
	if !OfKubernetes(gvk.Group) {
		places = append(places, schema.GroupKind{Group: catalog.AnyGroup, Kind: catalog.AnyKind})
	}
	for _, place := range places {
		for _, declared := range c.declared {
			for _, k := range declared[place] {
				switch {
				case !k.Holds(gvk.Version):
				case holds(k, content):
					return k.Counting
				case place.Group != catalog.AnyGroup:
					return nil
				}
			}
		}
	}
	return nil
}

// holds reports whether the children of an object count by a catalog.
func holds(k *catalog.Kind, content map[string]any) bool {
	when := k.Counting.When
	if when == nil {
		return true
	}
	c := &expr.Context{Conditions: k.List, Canonical: func(_ map[string]any, name string) string { return k.Canonical(name) }}
	values := expr.Values{Self: content}
	if slices.ContainsFunc(when.Names(), func(n expr.Name) bool { return n.Of == "variables" }) {
		values.Variables = map[string]any{}
		for _, v := range k.Variables {
			if value, err := v.Program.Eval(c, values); err == nil {
				values.Variables[v.Name] = value
			}
		}
	}
	ok, err := when.Bool(c, values)
	return ok && err == nil
}

// OfKubernetes reports whether an API group is one of Kubernetes itself: it has no domain, or one that is reserved for Kubernetes.
func OfKubernetes(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, "x-k8s.io")
}

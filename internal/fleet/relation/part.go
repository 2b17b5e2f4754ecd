// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Part returns an empty graph for some of the objects of g, which [Graph.Copy] brings. Both keep one copy of the objects.
func (g *Graph) Part() *Graph {
	out := New(g.Set())
	out.packer = g.packer
	return out
}

// Copy replaces the objects of g by the objects of another graph in some places, each a kind in a namespace. A place that is covered there
// is covered in g. It returns the objects that came, changed or went, in order, and reports whether a further place is covered.
func (g *Graph) Copy(of *Graph, places map[ID]bool) (changed []ID, covered bool) {
	var fresh []*Entry
	there := func(id ID) bool {
		return places[ID{GroupKind: id.GroupKind, Namespace: id.Namespace}] && of.entries.get(id) != nil
	}
	of.mu.RLock()
	g.mu.RLock()
	for place := range places {
		for _, e := range of.entries[place.GroupKind][place.Namespace] {
			if g.entries.get(e.ID) != e {
				fresh = append(fresh, e)
			}
		}
	}
	for e := range g.entries.of(schema.GroupKind{}) {
		if !there(e.ID) {
			changed = append(changed, e.ID)
		}
	}
	var covers []ID
	for place := range places {
		if (of.covers[place.GroupKind][place.Namespace] || of.covers[place.GroupKind][""]) && !g.covers[place.GroupKind][place.Namespace] {
			covers = append(covers, place)
		}
	}
	g.mu.RUnlock()
	of.mu.RUnlock()
	for _, id := range changed {
		g.Delete(id)
	}
	for _, e := range fresh {
		changed = append(changed, e.ID)
		g.PutEntry(e)
	}
	for _, place := range covers {
		g.Cover(place.GroupKind, place.Namespace)
	}
	slices.SortFunc(changed, Compare)
	return changed, len(covers) > 0
}

// Namespaces returns the namespaces that have objects of a kind, in order; the empty one is of cluster-scoped objects.
func (g *Graph) Namespaces(gk schema.GroupKind) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Sorted(maps.Keys(g.entries[gk]))
}

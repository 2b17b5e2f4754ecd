// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"

	"github.com/tristate/tristate/internal/declare/catalog"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Use replaces the catalogs of a graph. Objects stay; only relations of kinds whose catalog has changed are indexed again.
func (g *Graph) Use(set *catalog.Set) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if branches := tableOf(set); g.table == nil || len(branches.own)+len(g.table.own) > 0 {
		g.table, g.members = branches, nil // which may be found by other values
	}
	g.lookups = nil // whose keys are of the former catalogs
	before := g.indexes
	g.set, g.indexes, g.bySelf, g.ranks = set, nil, map[schema.GroupKind][]*linkIndex{}, nil
	g.version++
	var fresh []*linkIndex
	for _, k := range set.Kinds() {
		used, pauses := k.DerivesFrom(), k.PausedBy()
		for _, l := range k.Relations {
			i := slices.IndexFunc(before, func(old *linkIndex) bool { return old.kind == k && old.Link == l })
			var index *linkIndex
			if i >= 0 {
				index = before[i]
				before = slices.Delete(slices.Clone(before), i, i+1)
			} else {
				index = g.newIndex(link{Link: l, kind: k, costs: &g.costs}, used[l.Name], pauses[l.Name])
				fresh = append(fresh, index)
			}
			g.indexes = append(g.indexes, index)
			g.bySelf[k.For] = append(g.bySelf[k.For], index)
		}
	}
	for _, index := range before {
		for edge := range g.edges {
			if edge[0] == index.kind.For {
				delete(g.edges, edge) // those that remain are recorded again
			}
		}
	}
	g.findCircles()
	for _, index := range g.indexes {
		if index.derives && index.Target.Kind != "" {
			g.depend(index.kind.For, index.Target)
		}
	}
	for _, index := range before {
		if index.Target.Kind == "" {
			g.each(index.kind.For, func(_ *Entry, o *Object) {
				if index.holds(o) {
					g.name(index, o, -1)
				}
			})
		}
	}
	for _, index := range fresh {
		g.fill(index)
	}
}

// newIndex makes an empty index of a relation.
func (g *Graph) newIndex(l link, derives, pauses bool) *linkIndex {
	return &linkIndex{link: l, selves: newKeyed(g.seed), items: newKeyed(g.seed), derives: derives, pauses: pauses}
}

// fill adds the objects of the graph to a new index.
func (g *Graph) fill(index *linkIndex) {
	g.each(index.kind.For, func(e *Entry, o *Object) {
		if !index.holds(o) {
			return
		}
		if !index.namesSelves() {
			index.selves.add(index.selfKeys(o), e)
		}
		if index.Target.Kind == "" {
			g.name(index, o, 1)
		}
	})
	if index.namesItems() {
		return
	}
	g.each(index.Target, func(e *Entry, o *Object) { index.items.add(index.itemKeys(o), e) })
}

// each calls do for the objects of a kind (the empty one: of any). The lock must be held.
func (g *Graph) each(gk schema.GroupKind, do func(*Entry, *Object)) {
	for e := range g.entries.of(gk) {
		do(e, g.Open(e))
	}
}

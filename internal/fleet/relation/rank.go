// SPDX-License-Identifier: Apache-2.0

package relation

import "k8s.io/apimachinery/pkg/runtime/schema"

// depend records that objects of kind self depend on objects of kind item. The lock must be held.
func (g *Graph) depend(self, item schema.GroupKind) {
	edge := [2]schema.GroupKind{self, item}
	if g.edges[edge] {
		return
	}
	g.edges[edge] = true
	g.ranks = nil
	g.findCircles()
}

// Rank returns the height of a kind above the leaves, by the objects so far: 0 for a kind that depends on no other, otherwise one more
// than the highest it depends on. With lower ranks judged first a hierarchy settles with one write per object. Kinds that depend
// on each other in a circle share the rank of the first that was visited.
func (g *Graph) Rank(gk schema.GroupKind) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ranks == nil {
		g.ranks = map[schema.GroupKind]int{}
		below := map[schema.GroupKind][]schema.GroupKind{}
		for edge := range g.edges {
			if edge[0] != edge[1] {
				below[edge[0]] = append(below[edge[0]], edge[1])
			}
		}
		visiting := map[schema.GroupKind]bool{}
		var visit func(schema.GroupKind) int
		visit = func(k schema.GroupKind) int {
			if r, ok := g.ranks[k]; ok {
				return r
			}
			if visiting[k] {
				return 0
			}
			visiting[k] = true
			rank := 0
			for _, b := range below[k] {
				rank = max(rank, visit(b)+1)
			}
			delete(visiting, k)
			g.ranks[k] = rank
			return rank
		}
		for k := range below {
			visit(k)
		}
	}
	return g.ranks[gk]
}

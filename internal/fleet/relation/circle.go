// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// circleLimit is how many objects are searched for a circle. A longer one is not found; the controller limits the writes that it causes.
const circleLimit = 5000

// Circle returns the way from an object, over one of its relations, back to itself, along relations that derived conditions read; nil
// without a circle. It begins and ends with the object. A catalog with a circle of declared kinds does not load; Circle finds those of
// objects that refer to each other, or to themselves.
func (g *Graph) Circle(self *Object, relation string) []ID {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if !g.circles[self.GroupKind] {
		return nil
	}
	from := map[ID]ID{}
	var next []*Object
	found := false
	step := func(o *Object, index *linkIndex) {
		for _, item := range g.follow(index, o) {
			if _, seen := from[item.ID]; seen || found || !g.circles[item.GroupKind] {
				continue
			}
			from[item.ID] = o.ID
			found = item.ID == self.ID
			next = append(next, item)
		}
	}
	for _, index := range g.bySelf[self.GroupKind] {
		if index.Name == relation && index.holds(self) {
			step(self, index)
		}
	}
	for len(next) > 0 && !found && len(from) < circleLimit {
		o := next[0]
		next = next[1:]
		for _, index := range g.bySelf[o.GroupKind] {
			if index.derives && index.holds(o) {
				step(o, index)
			}
		}
	}
	if !found {
		return nil
	}
	path := []ID{self.ID}
	for at := from[self.ID]; at != self.ID; at = from[at] {
		path = append(path, at)
	}
	path = append(path, self.ID)
	slices.Reverse(path)
	return path
}

// findCircles finds the kinds that depend on themselves, over others or directly. The lock must be held.
func (g *Graph) findCircles() {
	g.circles = map[schema.GroupKind]bool{}
	below := map[schema.GroupKind][]schema.GroupKind{}
	for edge := range g.edges {
		below[edge[0]] = append(below[edge[0]], edge[1])
	}
	for start := range below {
		seen := map[schema.GroupKind]bool{}
		todo := slices.Clone(below[start])
		for len(todo) > 0 && !seen[start] {
			k := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[k] {
				seen[k] = true
				todo = append(todo, below[k]...)
			}
		}
		if seen[start] {
			g.circles[start] = true
		}
	}
}

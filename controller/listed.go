// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"github.com/tristate/tristate/derive"
	"github.com/tristate/tristate/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ignorant tells whether a pass would take objects for missing that are only not listed yet. The object is judged once they are: until
// then what is stored stands.
func (c *Controller) ignorant(graph *relation.Graph, in derive.Input) bool {
	if !c.listed(in.Kind.For) {
		return true // whether another manager writes the kind is known once all of it is
	}
	for _, link := range in.Kind.Relations { // the others were left out: see narrow
		name := link.Name
		if link.Target.Kind != "" {
			if !c.listed(link.Target) {
				return true
			}
			continue
		}
		for _, id := range graph.Unresolved(in.Self, name) {
			if !c.listed(id.GroupKind) {
				return true
			}
		}
	}
	return false
}

// listed reports whether the objects of a kind are known. Of a kind that is not served they are: there are none. Of one that the API server
// could not be asked about they are not.
func (c *Controller) listed(gk schema.GroupKind) bool {
	if s := c.source(gk); s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.known
	}
	_, answer := c.kinds.resolve(gk, nil)
	return answer == absent
}

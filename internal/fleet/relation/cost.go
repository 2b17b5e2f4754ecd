// SPDX-License-Identifier: Apache-2.0

package relation

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/tristate/tristate/internal/declare/expr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Expensive is a relation with an expression that was too expensive for some objects. The related objects of these are not known; the
// relation counts as leading to none.
type Expensive struct {
	schema.GroupKind        // of the objects that declare it
	Relation         string // its name
	Err              error
}

// costs collects the relations that were too expensive, by kind and name. It may be used by many goroutines.
type costs struct {
	mu    sync.Mutex
	found map[string]Expensive
}

// note records an error of an expression that is about its cost.
func (c *costs) note(l link, err error) {
	if c == nil || !errors.Is(err, expr.ErrTooExpensive) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		c.found = map[string]Expensive{}
	}
	c.found[l.kind.For.String()+" "+l.Name] = Expensive{l.kind.For, l.Name, err}
}

// Expensive returns the relations that were too expensive since the graph was made, in order.
func (g *Graph) Expensive() []Expensive {
	g.costs.mu.Lock()
	defer g.costs.mu.Unlock()
	var out []Expensive
	for _, key := range slices.Sorted(maps.Keys(g.costs.found)) {
		out = append(out, g.costs.found[key])
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/declare/expr"
)

// relations compiles the declared edges.
func (c *compiler) relations() {
	for _, name := range slices.Sorted(maps.Keys(c.source.Spec.Relations)) {
		r := c.source.Spec.Relations[name]
		path := "spec.relations." + name
		l := &Link{Relation: r, Name: name, Target: ParseGroupKind(r.Kind), One: r.Ref != "", Below: true}
		var ways []string
		way := func(given bool, field string) {
			if given {
				ways = append(ways, field)
			}
		}
		way(r.Ref != "", "ref")
		way(r.RefBy != "", "refBy")
		way(r.Owned, "owned")
		way(r.Selector != "", "selector")
		switch {
		case len(ways) > 1:
			c.fail(path+"."+ways[1], "", "a relation is either %s, not both", strings.Join(ways, " or "))
		case len(ways) == 0 && r.Where == "":
			c.fail(path, "", "relation %q needs one of ref, refBy, owned, selector or where", name)
		}
		if r.Kind == "" && r.Ref == "" {
			c.fail(path, "write kind: Kind.group", "relation %q needs the kind of its objects", name)
		}
		if r.RefBy != "" {
			l.Below = false
		}
		if r.Tree != "" {
			l.Below = r.Tree == "below"
		}
		if r.Single != nil {
			l.One = *r.Single
		}
		l.Ref = c.program(path+".ref", r.Ref, expr.ScopeSelf, expr.Any)
		l.RefBy = c.program(path+".refBy", r.RefBy, expr.ScopeItem, expr.Any)
		l.Selector = c.program(path+".selector", r.Selector, expr.ScopeSelf, expr.Any)
		l.Labels = c.program(path+".labels", r.Labels, expr.ScopeItem, expr.Any)
		if l.Labels != nil && r.Selector == "" {
			c.fail(path+".labels", "leave it out", "labels goes with selector")
		}
		l.Where = c.program(path+".where", r.Where, expr.ScopePair, expr.Bool)
		if l.Where != nil && len(ways) == 0 {
			l.join = sync.OnceValue(func() *Join { return join(l.Where) })
		}
		c.kind.Relations = append(c.kind.Relations, l)
	}
}

// join finds an equality between self and item among the conjuncts of where.
func join(where *expr.Program) *Join {
	for _, pair := range where.Equalities() {
		for _, side := range [][2]string{{pair[0], pair[1]}, {pair[1], pair[0]}} {
			item, issues := expr.Compile(side[0], expr.ScopeItem, expr.Any)
			if issues != nil || len(item.Uses().Paths["item"]) == 0 {
				continue
			}
			self, issues := expr.Compile(side[1], expr.ScopeSelf, expr.Any)
			if issues == nil && len(self.Names()) == 0 {
				return &Join{Self: self, Item: item}
			}
		}
	}
	return nil
}

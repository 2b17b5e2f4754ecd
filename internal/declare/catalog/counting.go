// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"

	"github.com/tristate/tristate/internal/declare/expr"
)

// Counting is a compiled Children.
type Counting struct {
	// Kind is the catalog that declares it.
	Kind *Kind
	// When holds for objects whose children count; nil: for all.
	When *expr.Program
	// Where holds for the children that count; nil: for all.
	Where *expr.Program
	// Refs returns references to further objects that count, or is nil.
	Refs *expr.Program
}

// Rule is the place of the declaration, as the rule of a verdict.
func (c *Counting) Rule() string { return "catalog/" + c.Kind.Source.Metadata.Name + "/children" }

// Reads returns the relations that Where and Refs read, by name.
func (c *Counting) Reads() []*Link {
	var out []*Link
	for _, p := range []*expr.Program{c.Where, c.Refs} {
		if p == nil {
			continue
		}
		for _, name := range p.Names() {
			if l := c.Kind.Relation(name.Name); name.Of == "related" && l != nil && !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// children compiles which objects count.
func (c *compiler) children() {
	spec := &c.source.Spec
	if spec.For.Kind == AnyKind {
		c.anyKind()
	}
	if spec.Children == nil {
		return
	}
	c.kind.Counting = &Counting{Kind: c.kind,
		When:  c.program("spec.children.when", spec.Children.When, expr.ScopeSelf, expr.Bool),
		Where: c.program("spec.children.where", spec.Children.Where, expr.ScopeChild, expr.Bool),
		Refs:  c.program("spec.children.refs", spec.Children.Refs, expr.ScopeRelated, expr.Any)}
}

// anyKind checks a catalog for every kind of a group, or of every group.
func (c *compiler) anyKind() {
	spec := &c.source.Spec
	if len(spec.Conditions) > 0 {
		c.fail("spec.for.kind", "name the kind", "a catalog for every kind of a group declares no conditions")
	}
	for _, l := range c.kind.Relations {
		if l.Ref == nil {
			c.fail("spec.relations."+l.Name, "write it with ref, or name the kind", "a catalog for every kind of a group has no relations but "+
				"references")
		}
	}
	if len(c.kind.Relations) > 0 && (spec.Children == nil || spec.Children.Where+spec.Children.Refs == "") {
		c.fail("spec.relations", "read them in children.where or children.refs, or name the kind", "a catalog for every kind of a group has "+
			"relations for children only")
	}
	if spec.For.Group != AnyGroup {
		return
	}
	if len(spec.Verdicts)+len(spec.States)+len(spec.Remedies)+len(spec.Ignores) > 0 {
		c.fail("spec.for.group", "name the group", "a catalog for every group only says when children count, and what objects share")
	}
	if len(spec.Tree) == 0 && spec.Children == nil || spec.Children != nil && spec.Children.When == "" {
		c.fail("spec.for.group", "add children.when", "a catalog for every group says by children.when which objects it is about")
	}
}

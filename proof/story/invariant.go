// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/expr"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/write/derive"
)

// Violation is a derived condition that is healthier than its inputs.
type Violation struct {
	Object relation.ID
	Type   string
	Over   string // the input
}

// String returns one sentence.
func (v Violation) String() string {
	return fmt.Sprintf("%s has a healthy %s over %s", v.Object, v.Type, v.Over)
}

// Violations returns the broken invariants of settled objects, in order. A summary must not be healthy while one of the
// types that it sums up is unhealthy or Unknown (any dependent type, if the summary is not derived). A mirror or
// aggregate must not be healthy over such a condition of a related object, unless the catalog tolerates it. It reads
// the stored conditions only and does not share the merges of package conditions.
func Violations(set *catalog.Set, objects []map[string]any, now time.Time) []Violation {
	g := relation.New(set)
	for _, content := range objects {
		g.Put(relation.FromContent(content))
	}
	var out []Violation
	for _, o := range g.All() {
		kind := set.Kind(o.GroupKind)
		if kind == nil {
			continue
		}
		v := violations{set: set, graph: g, kind: kind, self: o, now: now}
		v.summaries()
		v.merges()
		out = append(out, v.found...)
	}
	return out
}

type violations struct {
	set   *catalog.Set
	graph *relation.Graph
	kind  *catalog.Kind
	self  *relation.Object
	now   time.Time
	found []Violation
}

func (v *violations) add(conditionType, over string) {
	v.found = append(v.found, Violation{v.self.ID, conditionType, over})
}

// healthy reports whether a condition is there and has a known status that is not the bad one of its polarity.
func healthy(t *conditions.Type, c *conditions.Condition) bool {
	if c == nil {
		return false
	}
	if t == nil {
		return conditions.Positive.Good(c.Status)
	}
	return c.Status != conditions.Unknown && !t.Polarity.Bad(c.Status)
}

func (v *violations) summaries() {
	for i := range v.kind.Declaration.Types {
		t := &v.kind.Declaration.Types[i]
		if t.Role != conditions.RoleSummary || !healthy(t, Find(v.kind, v.self.Content, t.Name)) {
			continue
		}
		for _, name := range v.scope(t) {
			dependent := v.kind.Type(name)
			c := Find(v.kind, v.self.Content, name)
			if c == nil || dependent.Polarity == conditions.Neutral || healthy(dependent, c) {
				continue
			}
			v.add(t.Name, describe(*c))
		}
	}
}

// scope returns the types that a summary sums up.
func (v *violations) scope(t *conditions.Type) []string {
	for _, d := range v.kind.Derivations {
		if d.Type.Name == t.Name {
			return d.Of // none where it is derived in another way
		}
	}
	var out []string
	for i := range v.kind.Declaration.Types {
		if other := &v.kind.Declaration.Types[i]; other.Role == conditions.RoleDependent {
			out = append(out, other.Name)
		}
	}
	return out
}

func (v *violations) merges() {
	for _, d := range v.kind.Derivations {
		relationName, conditionType := "", ""
		switch {
		case d.Mirror != nil:
			relationName, conditionType = d.Mirror.Of, d.Mirror.Type
		case d.Merge != nil:
			relationName, conditionType = d.Merge.Of, d.Merge.Type
		default:
			continue
		}
		if !healthy(d.Type, Find(v.kind, v.self.Content, d.Type.Name)) {
			continue
		}
		left := v.tolerance(d)
		for _, o := range v.graph.Related(v.self, relationName) {
			kind := v.set.Kind(o.GroupKind)
			c := Find(kind, o.Content, conditionType)
			var t *conditions.Type
			if kind != nil {
				t = kind.Type(conditionType)
			}
			if c == nil || healthy(t, c) || left.takes(o) {
				continue
			}
			v.add(d.Type.Name, o.Kind+"/"+o.Name+" "+describe(*c))
		}
	}
}

// tolerance is the number of unhealthy inputs that an aggregate tolerates.
type tolerance struct {
	left  []int
	items []func(*relation.Object) bool
}

func (t *tolerance) takes(o *relation.Object) bool {
	for i := range t.left {
		if t.left[i] > 0 && t.items[i](o) {
			t.left[i]--
			return true
		}
	}
	return false
}

func (v *violations) tolerance(d *catalog.Derivation) *tolerance {
	out := &tolerance{}
	if len(d.Tolerate) == 0 {
		return out
	}
	in, _ := derive.Gather(v.graph, v.self.ID, v.now)
	c := &expr.Context{Now: v.now,
		Conditions: func(object map[string]any) []any {
			return v.set.Kind(relation.FromContent(object).GroupKind).List(object)
		},
		Canonical: func(object map[string]any, name string) string {
			if kind := v.set.Kind(relation.FromContent(object).GroupKind); kind != nil {
				return kind.Canonical(name)
			}
			return name
		}}
	values := expr.Values{Self: v.self.Content, Variables: v.kind.VariablesOf(v.self.Content, c), Related: in.Values()}
	for _, t := range d.Tolerate {
		if t.While != nil {
			if on, err := t.While.Bool(c, values); err != nil || !on {
				continue
			}
		}
		out.left = append(out.left, t.Max)
		out.items = append(out.items, func(o *relation.Object) bool {
			item := values
			item.Item = o.Content
			ok, err := t.Items.Bool(c, item)
			return err == nil && ok
		})
	}
	return out
}

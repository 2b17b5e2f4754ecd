// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/internal/declare/expr"
)

// derivations compiles the derived conditions and orders them.
func (c *compiler) derivations() {
	byType := map[string]*Derivation{}
	var names []string
	for i := range c.source.Spec.Conditions {
		d := &c.source.Spec.Conditions[i]
		path := index("spec.conditions", i)
		if d.Run != "" && d.Lifecycle != "per-run" {
			c.fail(path+".run", "", "run needs lifecycle: per-run")
		}
		if d.Derive == nil {
			if d.Lifecycle == "per-run" {
				c.fail(path+".lifecycle", "derive it with rules", "lifecycle per-run needs rules: %s is reported by another controller, which does "+
					"not learn of a new run", d.Type)
			}
			continue
		}
		if c.kind.At.Many() {
			c.fail(path+".derive", "leave out derive: whoever reports the conditions of the elements sums them up",
				"derived conditions need one list, and path %s matches many", c.kind.At)
		}
		derivation := c.derivation(path, d, &c.kind.Derived.Types[i])
		if byType[d.Type] == nil {
			names = append(names, d.Type)
			byType[d.Type] = derivation
		}
	}
	c.atRead()
	order, cycle := topological(names, func(name string) []string { return byType[name].Reads() })
	if cycle != nil {
		for i := range c.source.Spec.Conditions {
			if c.source.Spec.Conditions[i].Type == cycle[0] {
				c.fail(index("spec.conditions", i)+".derive", breakCycle, "derived conditions depend on each other: %s", strings.Join(cycle, " -> "))
			}
		}
	}
	for _, name := range order {
		c.kind.Derivations = append(c.kind.Derivations, byType[name])
	}
}

// atRead checks a document with conditions that are derived when an object is read: it has no others, and derives each by rules.
func (c *compiler) atRead() {
	all := c.source.Spec.Conditions
	c.kind.AtRead = slices.ContainsFunc(all, func(d Condition) bool { return d.Derive != nil && d.Derive.At == "read" })
	for i, d := range all {
		switch {
		case !c.kind.AtRead:
		case d.Derive == nil || d.Derive.At == "":
			c.fail(index("spec.conditions", i), "declare it in another document", "%s is written, and another condition of this document is only "+
				"derived when an object is read", d.Type)
		case len(d.Derive.Rules) == 0 || d.Derive.Merges():
			c.fail(index("spec.conditions", i)+".derive", "derive it with rules", "%s is derived when an object is read, which only rules can do",
				d.Type)
		}
	}
	if c.kind.AtRead && c.source.Spec.Manage != nil {
		c.fail("spec.manage", "leave it out", "conditions that are derived when an object is read are never written")
	}
}

// Reads returns the types of the same object that the derivation depends on.
func (d *Derivation) Reads() []string {
	out := slices.Clone(d.Of)
	for _, p := range d.Programs() {
		for _, use := range p.Conditions() {
			if use.Root == "self" && !slices.Contains(out, use.Type) {
				out = append(out, use.Type)
			}
		}
	}
	return out
}

// Programs returns the expressions of the derivation.
func (d *Derivation) Programs() []*expr.Program {
	all := []*expr.Program{d.Run}
	for _, r := range d.Rules {
		all = append(all, r.When, r.Message)
	}
	for _, t := range d.Tolerate {
		all = append(all, t.While, t.Items)
	}
	return slices.DeleteFunc(all, func(p *expr.Program) bool { return p == nil })
}

func (c *compiler) derivation(path string, d *Condition, t *conditions.Type) *Derivation {
	at := path + ".derive"
	out := &Derivation{Type: t, PerRun: d.Lifecycle == "per-run", Summary: d.Derive.Summary, Mirror: d.Derive.Mirror,
		Merge: d.Derive.Aggregate}
	ways := 0
	for _, given := range []bool{out.Summary != nil, out.Mirror != nil, out.Merge != nil} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		c.fail(at, "", "%s needs one of summary, mirror and aggregate, and has %d", d.Type, ways)
	} else if ways+len(d.Derive.Rules) == 0 {
		c.fail(at, "", "%s needs summary, mirror, aggregate or rules", d.Type)
	}
	if s := out.Summary; s != nil {
		c.derives(at, "summary")
		c.summary(at+".summary", d, s, out)
	}
	if m := out.Mirror; m != nil {
		c.derives(at, "mirror")
		m.Type = cmp.Or(m.Type, "Ready")
		if l := c.relation(at+".mirror.of", m.Of); l != nil && !l.One {
			c.fail(at+".mirror.of", "use aggregate, or declare the relation single: true", "mirror copies one object, and relation %q leads to "+
				"several", m.Of)
		}
		m.Missing = cmp.Or(m.Missing, string(c.defaults.missing))
		if m.Counter || len(m.Tolerate) > 0 {
			c.fail(at+".mirror", "leave them out", "counter and tolerate are for an aggregate, and mirror copies one object")
		}
	}
	if a := out.Merge; a != nil {
		c.derives(at, "aggregate")
		a.Type = cmp.Or(a.Type, "Ready")
		a.Missing = cmp.Or(a.Missing, string(c.defaults.missing))
		c.relation(at+".aggregate.of", a.Of)
		for i, tolerance := range a.Tolerate {
			p := index(at+".aggregate.tolerate", i)
			out.Tolerate = append(out.Tolerate, Tolerated{
				While: c.program(p+".while", tolerance.While, expr.ScopeRelated, expr.Bool),
				Items: c.program(p+".items", tolerance.Items, expr.ScopePair, expr.Bool), Max: tolerance.Max})
		}
	}
	out.Rules = c.rules(at+".rules", d, t, d.Derive.Rules)
	out.Merges = t.Reasons
	if d.Derive.Merges() && len(d.Derive.Rules) > 0 {
		out.Merges = slices.DeleteFunc(slices.Clone(t.Reasons), func(r conditions.Reason) bool {
			return slices.ContainsFunc(d.Derive.Rules, func(rule Rule) bool { return rule.Reason == r.Name })
		})
	}
	c.perRun(path, d, t, out)
	return out
}

// derives fails if the dialect has no rules for the way to derive a condition.
func (c *compiler) derives(at, way string) {
	if !c.kind.Dialect.Derives() {
		c.fail(at+"."+way, "use dialect core, kstatus, capi-v1beta1, openshift or gateway, or derive it with rules", "dialect %s is for reading and "+
			"derives no %s", c.kind.Dialect, way).of(CodeProfile)
	}
}

// knows fails if something is asked for that the merge rules of dialect capi-v1beta1 do not have.
func (c *compiler) knows(at, what, suggestion string, asked bool) {
	if asked && c.kind.Dialect == conditions.DialectCAPIv1beta1 {
		c.fail(at, suggestion, "dialect %s knows no %s", c.kind.Dialect, what).of(CodeProfile)
	}
}

// perRun checks the declaration of a run: when it is on, and the cell that it resets the condition to.
func (c *compiler) perRun(path string, d *Condition, t *conditions.Type, out *Derivation) {
	if !out.PerRun {
		return
	}
	if len(d.Derive.Rules) == 0 || d.Derive.Merges() {
		c.fail(path+".lifecycle", "", "lifecycle per-run needs rules alone")
		return
	}
	if d.Run == "" {
		c.fail(path+".lifecycle", "add run: EXPRESSION", "lifecycle per-run needs run, an expression that is true while a run is on")
	}
	out.Run = c.program(path+".run", d.Run, expr.ScopeRelated, expr.Bool)
	last := len(d.Derive.Rules) - 1
	if len(out.Rules) == 0 {
		return
	}
	reset := out.Rules[len(out.Rules)-1].Reason.Status
	if d.Derive.Rules[last].When != "" || reset != conditions.Unknown && !t.Polarity.Bad(reset) {
		c.fail(index(path+".derive.rules", last), "add a last rule without when",
			"the last rule of a per-run condition always applies and is not healthy: it is what a new run resets %s to", d.Type)
	}
}

func (c *compiler) summary(at string, d *Condition, s *Summary, out *Derivation) {
	s.Missing = cmp.Or(s.Missing, string(c.defaults.missing))
	c.knows(at+".recent", "order by time", "leave it out", s.Recent)
	var all []string
	for i := range c.kind.Declaration.Types {
		t := &c.kind.Declaration.Types[i]
		all = append(all, t.Name)
		if len(s.Of) == 0 && t.Role == conditions.RoleDependent && t.Name != d.Type {
			out.Of = append(out.Of, t.Name)
		}
	}
	for i, name := range s.Of {
		p := index(at+".of", i)
		member := c.kind.Type(name)
		switch {
		case member == nil || member.Name != name:
			c.fail(p, suggest(name, all), "unknown condition type %q", name).of(CodeSummary)
		case member.Polarity == conditions.Neutral:
			c.fail(p, "", "%s is neutral and cannot count in a summary", name).of(CodeSummary)
		}
		if slices.Contains(s.Of[:i], name) {
			c.fail(p, "", "%s is listed twice", name).of(CodeSummary)
		}
		out.Of = append(out.Of, name)
	}
	if len(out.Of) == 0 {
		c.fail(at, "", "%s sums up nothing: the kind has no other dependent type", d.Type).of(CodeSummary)
	}
}

func (c *compiler) relation(path, name string) *Link {
	if l := c.kind.Relation(name); l != nil {
		return l
	}
	var known []string
	for _, l := range c.kind.Relations {
		known = append(known, l.Name)
	}
	c.fail(path, suggest(name, known), "unknown relation %q", name)
	return nil
}

func (c *compiler) rules(path string, d *Condition, t *conditions.Type, rules []Rule) []Cell {
	var out []Cell
	for i, r := range rules {
		at := index(path, i)
		cell := Cell{
			When:    c.program(at+".when", r.When, expr.ScopeRelated, expr.Bool),
			Message: c.program(at+".message", r.Message, expr.ScopeRelated, expr.String),
		}
		var found []conditions.Reason
		var names []string
		for _, reason := range t.Reasons {
			names = append(names, reason.Name)
			if reason.Name == r.Reason {
				found = append(found, reason)
			}
		}
		switch len(found) {
		case 0:
			c.fail(at+".reason", suggest(r.Reason, names), "reason %q is not declared for %s", r.Reason, d.Type)
		case 1:
			cell.Reason = found[0]
		default:
			c.fail(at+".reason", "give the reasons different names", "reason %q is declared for several statuses of %s", r.Reason, d.Type)
		}
		out = append(out, cell)
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
)

// Fact is a reason with sets.
type Fact = Reason

// KindFact is a compiled fact: a reason that several condition types have at once.
type KindFact struct {
	Fact
	Cells []FactCell // in the order of the types
}

// FactCell is a cell that a fact reports.
type FactCell struct {
	Type, Reason string
	Status       conditions.Status
}

// String names the cells in the order of the types, and a reason only if it is not the fact's.
func (f *KindFact) String() string {
	var out []string
	for _, c := range f.Cells {
		text := c.Type + "=" + string(c.Status)
		if c.Reason != f.Reason {
			text += "/" + c.Reason
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// FactsOf returns the facts that report a cell, in order.
func (k *Kind) FactsOf(conditionType, reason string, status conditions.Status) []*KindFact {
	var out []*KindFact
	for i := range k.Facts {
		if slices.Contains(k.Facts[i].Cells, FactCell{k.Canonical(conditionType), reason, status}) {
			out = append(out, &k.Facts[i])
		}
	}
	return out
}

// HasOwn reports whether the catalog lists a cell with its type, and not only in a fact.
func (k *Kind) HasOwn(conditionType, reason string, status conditions.Status) bool {
	name := k.Canonical(conditionType)
	return slices.ContainsFunc(k.Source.listed, func(c Condition) bool {
		return c.Type == name && slices.ContainsFunc(c.Reasons, func(r Reason) bool { return r.Reason == reason && r.Status == string(status) })
	})
}

// parse splits a value of Fact.Sets into status and reason; the default is the fact's reason.
func (f *Fact) parse(value string) FactCell {
	status, reason, _ := strings.Cut(value, "/")
	return FactCell{Status: conditions.Status(status), Reason: cmp.Or(reason, f.Reason)}
}

// expand adds the cells of the facts to their types, and fills those that the types list themselves. It is the only place that does: from
// here on a cell of a fact is one like any other, and an error about it is placed where the fact is.
func (s *Source) expand() {
	s.listed = s.Spec.Conditions
	if len(s.Spec.Facts) == 0 {
		return
	}
	s.origins = map[string]string{}
	s.Spec.Conditions = slices.Clone(s.Spec.Conditions)
	for i := range s.Spec.Conditions {
		c := &s.Spec.Conditions[i]
		own := slices.Clone(c.Reasons)
		var before, after []Reason
		var beforeFrom, afterFrom, ownFrom []string
		for j := range own {
			ownFrom = append(ownFrom, index(index("spec.conditions", i)+".reasons", j))
		}
		for j := range s.Spec.Facts {
			f := &s.Spec.Facts[j]
			value, ok := f.Sets[c.Type]
			cell := f.parse(value)
			if !ok || cell.Reason != f.Reason || !wire.ValidStatus(cell.Status) {
				continue
			}
			of := f.cell(cell.Status)
			if !s.follows(f.Deadline, c) {
				of.Deadline = nil
			}
			if at := slices.IndexFunc(own, func(r Reason) bool { return r.Reason == f.Reason && r.Status == string(cell.Status) }); at >= 0 {
				own[at].inherit(&of)
				continue
			}
			from := index("spec.facts", j)
			if f.Class == string(conditions.ClassOK) {
				after, afterFrom = append(after, of), append(afterFrom, from)
			} else {
				before, beforeFrom = append(before, of), append(beforeFrom, from)
			}
		}
		c.Reasons = slices.Concat(before, own, after)
		for j, from := range slices.Concat(beforeFrom, ownFrom, afterFrom) {
			s.origins[index(index("spec.conditions", i)+".reasons", j)] = from
		}
	}
}

// follows reports whether a type has the reason that follows a deadline, if one follows.
func (s *Source) follows(d *Deadline, c *Condition) bool {
	return d == nil || d.Then == "" || slices.ContainsFunc(c.Reasons, func(r Reason) bool { return r.Reason == d.Then }) ||
		slices.ContainsFunc(s.Spec.Facts, func(f Fact) bool {
			value, ok := f.Sets[c.Type]
			return ok && f.parse(value).Reason == d.Then
		})
}

// cell returns the cell of a type that a fact declares.
func (f *Fact) cell(status conditions.Status) Reason {
	return Reason{Reason: f.Reason, Status: string(status), Class: f.Class, Meaning: f.Meaning, Remedy: f.Remedy,
		Message: f.Message, Retry: f.Retry, Deadline: f.Deadline, Initial: f.Initial}
}

// inherit fills the keys that a cell leaves out.
func (r *Reason) inherit(of *Reason) {
	r.Class, r.Meaning, r.Remedy = cmp.Or(r.Class, of.Class), cmp.Or(r.Meaning, of.Meaning), cmp.Or(r.Remedy, of.Remedy)
	r.Retry = cmp.Or(r.Retry, of.Retry)
	r.Initial = r.Initial || of.Initial
	r.Deadline, r.Message = cmp.Or(r.Deadline, of.Deadline), cmp.Or(r.Message, of.Message)
}

// origin returns the path of a node as the author wrote it: expanding moves cells.
func (s *Source) origin(path string) string {
	for p := path; p != "" && len(s.origins) > 0; p = parent(p) {
		if from, ok := s.origins[p]; ok {
			return from + path[len(p):]
		}
	}
	return path
}

// facts compiles the facts, after the types.
func (c *compiler) facts() {
	for i := range c.source.Spec.Facts {
		f := &c.source.Spec.Facts[i]
		at := index("spec.facts", i)
		if slices.ContainsFunc(c.source.Spec.Facts[:i], func(o Fact) bool { return o.Reason == f.Reason }) {
			c.fail(at+".reason", "", "fact %s is declared twice", f.Reason).of(CodeAlias)
		}
		if len(f.Sets) == 0 {
			c.fail(at+".sets", `write the types with their statuses, as {Ready: "False"}`, "fact %s sets no condition type", f.Reason)
		}
		for _, name := range slices.Sorted(maps.Keys(f.Sets)) {
			c.factCell(at+".sets."+name, f, name)
		}
		if f.Class == "" {
			c.fail(at+".class", "", "class is missing")
		}
		if f.Status+f.Severity+f.Hold != "" || len(f.Aliases) > 0 || f.Deprecated != nil {
			c.fail(at, "write them in the reasons of a type", "a fact has none of status, severity, aliases, hold and deprecated")
		}
		out := KindFact{Fact: *f}
		for _, d := range c.source.Spec.Conditions {
			if value, ok := f.Sets[d.Type]; ok {
				cell := f.parse(value)
				cell.Type = d.Type
				out.Cells = append(out.Cells, cell)
			}
		}
		if d := f.Deadline; d != nil && !slices.ContainsFunc(c.source.Spec.Conditions, func(t Condition) bool {
			value, ok := f.Sets[t.Type]
			return ok && f.parse(value).Reason == f.Reason && c.source.follows(d, &t)
		}) {
			c.fail(at+".deadline", "", "no condition with reason %s has the reason %s, which is to follow", f.Reason, d.Then)
		}
		c.kind.Facts = append(c.kind.Facts, out)
	}
}

// factCell checks a cell of a fact.
func (c *compiler) factCell(at string, f *Fact, name string) {
	d := slices.IndexFunc(c.source.Spec.Conditions, func(d Condition) bool { return d.Type == name })
	if d < 0 {
		c.fail(at, suggest(name, c.typeNames()), "unknown condition type %q", name)
		return
	}
	declared := &c.source.Spec.Conditions[d]
	if declared.Derive != nil {
		c.fail(at, "leave it out", "condition type %s is derived, and a fact is reported", name)
	}
	cell := f.parse(f.Sets[name])
	if !wire.ValidStatus(cell.Status) {
		c.fail(at, `write "True", "False" or "Unknown", or one of them with a reason, as False/Failed`, "unknown status %q", cell.Status)
		return
	}
	var known []string
	for _, r := range declared.Reasons {
		known = append(known, r.Status+"/"+r.Reason)
	}
	if cell.Reason != f.Reason && !slices.Contains(known, string(cell.Status)+"/"+cell.Reason) {
		c.fail(at, suggest(f.Sets[name], known), "%s declares no %s/%s", name, cell.Status, cell.Reason)
	}
}

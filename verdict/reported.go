// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"

	"github.com/tristate/tristate/conditions"
)

// reported is what the declared conditions of an object come to: the worst summary and the worst dependent, over all lists.
type reported struct {
	s          *Semantics
	words      *lexicon
	generation int64 // of the object; -1 where unknown

	summary, worst declared
	lags           bool   // the status is about an older generation
	stale          bool   // a summary is about an older generation
	silent         Object // an element whose list lacks what a list must have

	all  []declared // the dependents that are bad, where they are asked for
	keep bool
}

// declared is a condition whose type is declared.
type declared struct {
	Condition
	t     *TypeSemantics
	cell  *conditions.Reason // nil where the cell is not declared
	class conditions.Class
	in    Object // the element whose list has it; absent where the object has one list
}

// name is the declared name of the type.
func (d *declared) name() string {
	if d.t.Name != "" {
		return d.t.Name
	}
	return d.Type
}

// reason is the declared name of the reason, or else the type.
func (d *declared) Reason() string {
	if d.cell != nil && d.cell.Name != "" {
		return d.cell.Name
	}
	if reason := d.Condition.Reason(); reason != "" {
		return reason
	}
	return d.Type
}

// severity is the one that the author wrote or else the declared one. What is only not there yet is no error because the declaration does not say
// otherwise.
func (d *declared) Severity() conditions.Severity {
	if s := d.Condition.Severity(); s != "" || d.cell == nil || d.cell.Class == conditions.ClassProgress {
		return s
	}
	return d.cell.Severity
}

func (d *declared) remedy() string {
	if d.cell == nil {
		return ""
	}
	return d.cell.Remedy
}

// worse orders conditions totally: by class, what is known before what is not, by severity, those with a message first, in declared order and by the
// element that has them.
func (d *declared) worse(o *declared) bool {
	if o.Type == "" {
		return true
	}
	if a, b := rankOf(d.class), rankOf(o.class); a != b {
		return a > b
	}
	if a, b := d.Status == conditions.Unknown, o.Status == conditions.Unknown; a != b {
		return b
	}
	if a, b := severityOrder(d.Severity()), severityOrder(o.Severity()); a != b {
		return a > b
	}
	if a, b := d.Message() != "", o.Message() != ""; a != b {
		return a
	}
	if d.t.Position != o.t.Position {
		return d.t.Position < o.t.Position
	}
	if d.Type != o.Type {
		return d.Type < o.Type
	}
	if a, b := elementName(d.in), elementName(o.in); a != b {
		return a < b
	}
	return d.before(&o.Condition)
}

// severityOrder orders severities, worst last. A failure that is not rated is one.
func severityOrder(s conditions.Severity) int {
	switch s {
	case conditions.SeverityInfo:
		return 0
	case conditions.SeverityWarning:
		return 1
	}
	return 2
}

// walk goes to the lists that a path leads to. in is the innermost element on the way.
func (d *reported) walk(n Object, path string, in Object) {
	name, rest, more := strings.Cut(path, ".")
	name, each := strings.CutSuffix(name, "[*]")
	n = n.get(name)
	switch {
	case !more:
		d.list(n, in)
	case each:
		it := n.items()
		for element := (Object{}); it.more(&element); {
			if element.kind() == kindMap {
				d.walk(element, rest, element)
			}
		}
	default:
		d.walk(n, rest, in)
	}
}

// list takes in the declared conditions of one list.
func (d *reported) list(list, in Object) {
	summaries, any := false, false
	it := list.items()
	for n := (Object{}); it.more(&n); {
		var c Condition
		if !readCondition(n, &c) {
			continue
		}
		t := d.s.Types[c.Type]
		if t == nil || t.Role == conditions.RoleInformational {
			continue
		}
		one := declared{Condition: c, t: t, cell: t.cell(&c), in: in}
		one.class = t.class(d.words, &c, one.cell)
		if seen, ok := c.ObservedGeneration(); d.generation >= 0 && (ok && seen < d.generation || !ok && d.lags) {
			one.class, d.stale = conditions.ClassProgress, d.stale || t.Role == conditions.RoleSummary
		}
		any = true
		if t.Role == conditions.RoleSummary {
			summaries = true
			if one.worse(&d.summary) {
				d.summary = one
			}
			continue
		}
		if d.keep && one.class != conditions.ClassOK {
			d.all = append(d.all, one)
		}
		if one.worse(&d.worst) {
			d.worst = one
		}
	}
	if in.present() && !summaries && (!any || d.s.needsSummary()) &&
		(!d.silent.present() || elementName(in) < elementName(d.silent)) {
		d.silent = in
	}
}

// failsNow reports whether a declared condition decides although the status is about an older generation, see [Condition.FailsNow].
func (d *reported) failsNow() bool {
	s, w := &d.summary, &d.worst
	return s.FailsNow(d.generation, statusOf(s.class)) ||
		s.class != conditions.ClassSuspended && (s.Type == "" || w.counts()) && w.FailsNow(d.generation, statusOf(w.class))
}

// proveDeclared adds a condition that a path leads to, or one of the usual list, to the evidence.
func (j *judgement) proveDeclared(path string, c *declared) {
	if path == "" {
		j.v.prove(fact{atCondition, c.Type, "status", c.n.get("status")})
	} else {
		j.v.prove(fact{atListed, c.Type, path, c.n.get("status")})
	}
}

// elementName names an element of a list: by its name, or else by the one that it refers to.
func elementName(n Object) string {
	if name := n.getStr("name"); name != "" {
		return name
	}
	best, name := "", ""
	n.fields(func(key string, v Object) bool {
		if to := v.get("name").Text(); to != "" && strings.HasSuffix(key, "Ref") && (best == "" || key < best) {
			best, name = key, to
		}
		return true
	})
	return name
}

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
	lags           bool // the status is about an older generation
	stale          bool // a summary is about an older generation
	silent         node // an element whose list lacks what a list must have

	all  []declared // the dependents that are bad, where they are asked for
	keep bool
}

// declared is a condition whose type is declared.
type declared struct {
	cond
	t     *TypeSemantics
	cell  *conditions.Reason // nil where the cell is not declared
	class conditions.Class
	in    node // the element whose list has it; absent where the object has one list
}

// name is the declared name of the type.
func (d *declared) name() string {
	if d.t.Name != "" {
		return d.t.Name
	}
	return d.typ
}

// reason is the declared name of the reason, or else the type.
func (d *declared) reason() string {
	if d.cell != nil && d.cell.Name != "" {
		return d.cell.Name
	}
	if reason := d.cond.reason(); reason != "" {
		return reason
	}
	return d.typ
}

// severity is the one that the author wrote or else the declared one. What is only not there yet is no error because the declaration does not say
// otherwise.
func (d *declared) severity() conditions.Severity {
	if s := conditions.Severity(d.cond.severity()); s != "" || d.cell == nil || d.cell.Class == conditions.ClassProgress {
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
	if o.typ == "" {
		return true
	}
	if a, b := rankOf(d.class), rankOf(o.class); a != b {
		return a > b
	}
	if a, b := d.status == isUnknownWord, o.status == isUnknownWord; a != b {
		return b
	}
	if a, b := severityOrder(d.severity()), severityOrder(o.severity()); a != b {
		return a > b
	}
	if a, b := d.message() != "", o.message() != ""; a != b {
		return a
	}
	if d.t.Place != o.t.Place {
		return d.t.Place < o.t.Place
	}
	if d.typ != o.typ {
		return d.typ < o.typ
	}
	if a, b := elementName(d.in), elementName(o.in); a != b {
		return a < b
	}
	return d.before(&o.cond)
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
func (d *reported) walk(n node, path string, in node) {
	name, rest, more := strings.Cut(path, ".")
	name, each := strings.CutSuffix(name, "[*]")
	n = n.get(name)
	switch {
	case !more:
		d.list(n, in)
	case each:
		it := n.items()
		for element := (node{}); it.more(&element); {
			if element.kind() == kindMap {
				d.walk(element, rest, element)
			}
		}
	default:
		d.walk(n, rest, in)
	}
}

// list takes in the declared conditions of one list.
func (d *reported) list(list, in node) {
	summaries, any := false, false
	it := list.items()
	for n := (node{}); it.more(&n); {
		var c cond
		if !readCondition(n, &c) {
			continue
		}
		t, ok := d.s.Types[c.typ]
		if !ok || t.Role == conditions.RoleInformational {
			continue
		}
		one := declared{cond: c, t: t, cell: t.cell(&c), in: in}
		one.class = t.class(d.words, &c, one.cell)
		if seen, ok := c.observed(); d.generation >= 0 && (ok && seen < d.generation || !ok && d.lags) {
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

// failsNow reports whether a condition that says itself that it is about the present generation calls the object Failed, although the status is about an
// older one: see [UnlessFailsNow].
func (d *reported) failsNow() bool {
	s, w := &d.summary, &d.worst
	return s.class == conditions.ClassTerminal || s.class != conditions.ClassSuspended && w.class == conditions.ClassTerminal && (s.typ == "" || w.counts())
}

// proveDeclared adds a condition that a path leads to, or one of the usual list, to the evidence.
func (j *judge) proveDeclared(path string, c *declared) {
	if path == "" {
		j.prove(atCondition, c.typ, "status", c.n.get("status"))
	} else {
		j.prove(atListed, c.typ, path, c.n.get("status"))
	}
}

// silentText names an element that says nothing.
func (d *reported) silentText() message {
	const missing = "conditions were not reported yet"
	if name := elementName(d.silent); name != "" {
		return message{wording: listed, s1: name, s2: missing}
	}
	return text(missing)
}

// elementName names an element of a list: by its name, or else by the one that it refers to.
func elementName(n node) string {
	if name := n.get("name").str(); name != "" {
		return name
	}
	best, name := "", ""
	n.fields(func(key string, v node) bool {
		if to := v.get("name").str(); to != "" && strings.HasSuffix(key, "Ref") && (best == "" || key < best) {
			best, name = key, to
		}
		return true
	})
	return name
}

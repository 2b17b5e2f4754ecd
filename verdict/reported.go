// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// reported sums up the declared conditions of an object: the worst summary and the worst dependent, over all lists.
type reported struct {
	s          *Semantics
	words      *lexicon.Lexicon
	generation int64 // of the object; -1 where unknown

	summary, worst declared
	lags           bool         // the status is about an older generation
	stale          bool         // a summary is about an older generation
	silent         object.Value // an element whose list has no declared condition, or lacks the summary

	all []declared // the unhealthy dependents
}

// declared is a condition whose type is declared.
type declared struct {
	object.Condition
	t     *TypeSemantics
	cell  *conditions.Reason // nil if the cell is not declared
	class conditions.Class
	in    object.Value // the element whose list has it; absent if the object has one list
}

// name returns the declared name of the type.
func (d *declared) name() string {
	if d.t.Name != "" {
		return d.t.Name
	}
	return d.Type
}

// Reason returns the declared name of the reason, or else the type.
func (d *declared) Reason() string {
	if d.cell != nil && d.cell.Name != "" {
		return d.cell.Name
	}
	if reason := d.Condition.Reason(); reason != "" {
		return reason
	}
	return d.Type
}

// Severity returns the severity that the author wrote, or else the declared one. Progress has no declared severity: it is no error.
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

// worse orders conditions totally: by class, known statuses before Unknown, by severity, those with a message first, in declared order and
// by their element.
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
	if a, b := d.Severity().Rank(), o.Severity().Rank(); a != b {
		return a < b
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
	return d.Before(&o.Condition)
}

// walk follows a path to lists of conditions. in is the innermost element of a list on the way.
func (d *reported) walk(n object.Value, path string, in object.Value) {
	name, rest, more := strings.Cut(path, ".")
	name, each := strings.CutSuffix(name, "[*]")
	n = n.Get(name)
	switch {
	case !more:
		d.list(n, in)
	case each:
		for element := range n.Items() {
			if element.Kind() == object.Map {
				d.walk(element, rest, element)
			}
		}
	default:
		d.walk(n, rest, in)
	}
}

// list adds the declared conditions of one list.
func (d *reported) list(list, in object.Value) {
	summaries, any := false, false
	repeats := list.Repeats()
	for n := range list.Items() {
		var c object.Condition
		if !object.ReadCondition(n, &c) || repeats && list.Superseded(n, c.Type) {
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
		if one.class != conditions.ClassOK {
			d.all = append(d.all, one)
		}
		if one.worse(&d.worst) {
			d.worst = one
		}
	}
	if in.Present() && !summaries && (!any || d.s.needsSummary()) &&
		(!d.silent.Present() || elementName(in) < elementName(d.silent)) {
		d.silent = in
	}
}

// failsNow reports whether a declared condition decides although the status is about an older generation, see [Condition.FailsNow].
func (d *reported) failsNow() bool {
	s, w := &d.summary, &d.worst
	return answer.FailsNow(&s.Condition, d.generation, statusOf(s.class)) ||
		s.class != conditions.ClassSuspended && (s.Type == "" || w.counts()) &&
			answer.FailsNow(&w.Condition, d.generation, statusOf(w.class))
}

// proveDeclared adds a condition of the usual list, or of a list at a path, to the evidence.
func (j *judgement) proveDeclared(path string, c *declared) {
	if path == "" {
		j.Answer.Prove(object.OfCondition(c.Type, "status", c.N.Get("status")))
	} else {
		j.Answer.Prove(object.At(object.PathListed, c.Type, path, c.N.Get("status")))
	}
}

// elementName returns the name of an element of a list, or else that of the object that it refers to.
func elementName(n object.Value) string {
	if name := n.TextAt("name"); name != "" {
		return name
	}
	best, name := "", ""
	for key, v := range n.Fields() {
		if to := v.Get("name").Text(); to != "" && strings.HasSuffix(key, "Ref") && (best == "" || key < best) {
			best, name = key, to
		}
	}
	return name
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// reported is what the declared conditions of an object come to: the worst summary and the worst dependent, over all lists.
type reported struct {
	s          *Semantics
	words      *lexicon
	generation int64 // of the object; -1 where unknown

	summary, worst     cond
	sc, wc             Class
	summaryIn, worstIn node // the elements whose lists have them; absent where the object has one list
	stale              bool // a summary is about an older generation
	silent             node // an element whose list lacks what a list must have
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
		if !ok || t.Role == RoleInformational {
			continue
		}
		class := t.class(d.words, &c)
		if seen, ok := n.get("observedGeneration").num(); ok && d.generation >= 0 && seen < d.generation {
			class, d.stale = ClassProgress, d.stale || t.Role == RoleSummary
		}
		any = true
		if t.Role == RoleSummary {
			summaries = true
			if d.summary.typ == "" || class.rank() > d.sc.rank() || class.rank() == d.sc.rank() && c.before(&d.summary) {
				d.summary, d.sc, d.summaryIn = c, class, in
			}
			continue
		}
		if d.worst.typ == "" || class.rank() > d.wc.rank() ||
			class.rank() == d.wc.rank() && (c.typ < d.worst.typ || c.typ == d.worst.typ && c.before(&d.worst)) {
			d.worst, d.wc, d.worstIn = c, class, in
		}
	}
	if in.present() && !summaries && (!any || d.s.needsSummary()) &&
		(!d.silent.present() || elementName(in) < elementName(d.silent)) {
		d.silent = in
	}
}

// proveDeclared adds a condition that a path leads to, or one of the usual list, to the evidence.
func (j *judge) proveDeclared(path string, c *cond) {
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

// SPDX-License-Identifier: Apache-2.0

package verdict

// fields hands the members of the status to their rules: states, errors, flags, generations, and the components in its maps and lists.
func (g *gather) fields() {
	g.status.fields(func(key string, n node) bool {
		if key == "conditions" || key == "observedGeneration" {
			return true
		}
		switch n.kind() {
		case kindString:
			g.word(key, n)
		case kindInt, kindFloat:
			if r := generationRule(key); r != nil {
				g.behind(key, n, r)
				return true
			}
			g.counted = g.counted || familyKeys[key]
			g.pair(key, "", key, n, g.status)
		case kindBool:
			g.flag(key, n)
		case kindMap:
			if errorKey(key) {
				g.failure(key, "", n)
			} else {
				g.inner(key, n)
			}
		case kindList:
			if errorKey(key) {
				g.failure(key, "", n)
			} else {
				g.nested(key, n)
			}
		}
		return true
	})
}

// word weighs a string of the status.
func (g *gather) word(key string, n node) {
	switch {
	case key == "status" && isTruth(n):
		if typ := g.status.get("type").str(); typ != "" {
			g.condition(g.status, typ, itself)
		}
	case stateKey(key) > 0:
		g.state(atStatus, key, "", n)
	case errorKey(key):
		g.failure(key, "", n)
	case formerKey(key):
		if endsAsState(key) || resultKey(key) {
			g.former(key, "", n)
		}
	case resultKey(key):
		g.result(key, "", n)
	case countKey(key):
		g.outOf(key, "", n)
	default:
		if _, ok := truth(n); ok {
			g.flag(key, n)
		}
	}
}

// itself stands for the list of conditions where the status is one.
const itself = "."

// inner weighs a map of the status, and the maps in it: parts by name, or sections.
func (g *gather) inner(key string, n node) {
	switch {
	case key == "kopf":
		g.handlers(n.get("progress"))
		return
	case formerKey(key):
		for _, k := range [...]string{"state", "status", "phase", "result"} {
			if s := n.get(k); s.kind() == kindString {
				g.former(key, k, s)
			}
		}
		return
	case historyKey(key):
		return
	}
	g.part(key, "", n)
	if stateKey(key) > 0 || pluralOfState(key) {
		g.named(key, n)
	}
}

// part weighs the members of a map of the status, .a or .a.b: parts by name are two maps deep. Its states and errors count like those
// of the whole; its flags and numbers only where no summary says that all is well.
func (g *gather) part(a, b string, n node) {
	n.fields(func(k string, v node) bool {
		at := k
		if b != "" {
			at = b // the path names the part
		}
		switch kind := v.kind(); kind {
		case kindString:
			g.wordOf(a, b, at, k, v, n)
		case kindBool:
			g.flagOf(a, at, k, v, n)
		case kindInt, kindFloat:
			g.pair(a, at, k, v, n)
		case kindMap, kindList:
			switch {
			case k == "conditions":
				conds := g.conds
				g.conditions(v, a)
				g.conds = conds || b == "" && g.conds // conditions of a part by name are no reason to wait for a summary
			case errorKey(k):
				g.failure(a, at, v)
			case b != "":
			case kind == kindList:
				g.listNotWell(a, k, v)
			case !historyKey(k):
				g.part(a, k, v)
			}
		}
		return true
	})
}

// wordOf weighs a string of a part.
func (g *gather) wordOf(a, b, at, key string, n, part node) {
	if key == "status" && isTruth(n) {
		if typ := part.get("type").str(); typ != "" {
			conds := g.conds
			g.condition(part, typ, a)
			g.conds = conds
		}
		return
	}
	switch s := stateKey(key); {
	case s == 2, s == 1 && b == "":
		g.state(atStatus, a, at, n)
	case errorKey(key):
		g.failure(a, at, n)
	case s == 1:
	case resultKey(key):
		g.result(a, at, n)
	case b == "" && countKey(key):
		g.outOf(a, key, n)
	default:
		if _, ok := truth(n); ok {
			g.flagOf(a, at, key, n, part)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package verdict

// fields weighs the members of the status: states, errors, flags, generations, and what its maps and lists tell of parts.
func (g *gather) fields() {
	g.status.fields(func(key string, n node) bool {
		if key == "conditions" || key == "observedGeneration" {
			return true
		}
		switch n.kind() {
		case kindString:
			g.word(key, n)
		case kindInt, kindFloat:
			g.counted = true
			if weight := generationKey(key); weight > 0 {
				g.behind(key, n, weight)
			}
		case kindBool:
			g.flag(key, "", n)
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
		g.scalar(atStatus, key, "", n)
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
			g.flag(key, "", n)
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
	n.fields(func(k string, v node) bool {
		if v.kind() == kindMap && !historyKey(k) {
			g.part(key, k, v)
		}
		return true
	})
}

// part weighs the members of a map of the status, .a or .a.b. Its states and errors count like those of the whole; its flags and
// numbers only where no summary says that all is well.
func (g *gather) part(a, b string, n node) {
	if typ := n.get("type").str(); typ != "" && isTruth(n.get("status")) {
		conds := g.conds
		g.condition(n, typ, a)
		g.conds = conds // a part whose condition says nothing is no reason to wait for a summary
		return
	}
	if list := n.get("conditions"); list.kind() != kindNone {
		conds := g.conds
		g.conditions(list, a)
		g.conds = conds || b == "" && g.conds
	}
	counts := false
	n.fields(func(k string, v node) bool {
		at := k
		if b != "" {
			at = b // the path names the part
		}
		switch v.kind() {
		case kindString:
			switch s := stateKey(k); {
			case s == 2, s == 1 && b == "":
				g.scalar(atStatus, a, at, v)
			case errorKey(k):
				g.failure(a, at, v)
			case s == 1:
			case resultKey(k):
				g.result(a, at, v)
			case b == "" && countKey(k):
				g.outOf(a, k, v)
			default:
				if _, ok := truth(v); ok {
					g.flagOf(a, at, k, v)
				}
			}
		case kindBool:
			g.flagOf(a, at, k, v)
		case kindMap:
			if errorKey(k) {
				g.failure(a, at, v)
			}
		case kindList:
			if errorKey(k) {
				g.failure(a, at, v)
			} else if b == "" {
				g.failing(a, k, v)
			}
		case kindInt, kindFloat:
			counts = true
		}
		return true
	})
	if counts {
		g.pairs(a, b, n)
	}
}

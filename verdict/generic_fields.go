// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// fields weighs the members of the status: states, errors, booleans, and conditions nested in lists.
func (g *gather) fields() {
	g.status.fields(func(key string, n node) bool {
		if key == "conditions" || key == "observedGeneration" {
			return true
		}
		switch n.kind() {
		case kindString:
			if stateKey(key) > 0 {
				g.scalar(atStatus, key, "", n)
			} else if errorKey(key) {
				g.failure(key, "", n)
			} else if countKey(key) {
				g.outOf(key, "", n)
			}
		case kindInt, kindFloat:
			g.counted = true
			if generationKey(key) {
				g.behind(key, n)
			}
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

// inner weighs a map of the status: its states, and the states of its maps (components by name).
func (g *gather) inner(key string, n node) {
	if strings.HasPrefix(key, "last") && key != "lastOperation" {
		for _, k := range [...]string{"state", "status", "phase", "result"} {
			if s := n.get(k); s.kind() == kindString {
				g.former(key, k, s)
			}
		}
		return
	}
	if historyKey(key) {
		return
	}
	g.conditions(n.get("conditions"), key)
	if want, ok := n.get("desiredNumber").num(); ok {
		if have := n.get("availableNumber").numOr(0); have < want {
			g.compare(have, want, message{wording: counted, s1: "availableNumber"}, key, "availableNumber", n.get("availableNumber"))
		}
	}
	n.fields(func(k string, v node) bool {
		switch v.kind() {
		case kindString:
			if stateKey(k) > 0 {
				g.scalar(atStatus, key, k, v)
			} else if errorKey(k) {
				g.failure(key, k, v)
			} else if countKey(k) {
				g.outOf(key, k, v)
			}
		case kindList:
			if errorKey(k) {
				g.failure(key, k, v)
			}
		case kindMap:
			v.fields(func(k2 string, v2 node) bool {
				if stateKey(k2) == 2 && v2.kind() == kindString {
					g.scalar(atStatus, key, k, v2)
				}
				return true
			})
		}
		return true
	})
}

// former keeps the state of the last run. It counts where nothing else speaks.
func (g *gather) former(a, b string, n node) {
	cl := claim{conf: FromHeuristic, rule: "heuristic/last", reason: n.str(), at: atStatus, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: n.str()}}
	switch senseOf(n.str()) {
	case senseBad:
		cl.status, cl.weight = Failed, weightBad
	case senseBusy:
		cl.status, cl.weight = InProgress, weightBusy
	case senseGood:
		cl.status, cl.weight = Current, goodNegative
	default:
		return
	}
	if g.last.weight == 0 || cl.heavier(&g.last) {
		g.last = cl
	}
}

// nested weighs the items of a list: their conditions (parents, ancestors, listeners), and the states of items that have
// one. A parent that the spec does not name any more is left over, and so is one of an earlier generation where another
// parent has answered for the present one.
func (g *gather) nested(key string, list node) {
	if historyKey(key) {
		return
	}
	if list.size() == 0 {
		switch key {
		case "parents", "ancestors":
			g.awaited = true
		}
		return
	}
	fresh := false
	it := list.items()
	for n := (node{}); key == "parents" && it.more(&n); {
		fresh = fresh || !g.outdated(n.get("conditions"))
	}
	it = list.items()
	for n := (node{}); it.more(&n); {
		if n.kind() != kindMap {
			continue
		}
		conds := n.get("conditions")
		if conds.kind() == kindList {
			if !g.leftOver(n.get("parentRef")) && !(fresh && g.outdated(conds)) {
				if conds.size() == 0 {
					g.awaited = true
				}
				g.conditions(conds, key)
			}
			continue
		}
		var c cond
		if n.get("status").kind() == kindString && readCondition(n, &c) && c.status == n.get("status").str() {
			g.condition(n, c.typ, key)
			continue
		}
		if want, ok := n.get("replicas").num(); ok {
			if have, ok := n.get("readyReplicas").num(); ok && have < want {
				g.compare(have, want, message{wording: counted, s1: "readyReplicas"}, key, "readyReplicas", n.get("readyReplicas"))
			}
		}
		for _, k := range [...]string{"error", "errors"} {
			if e := n.get(k); e.present() && e.kind() != kindBool {
				g.failure(key, k, e)
			}
		}
		for _, k := range [...]string{"phase", "state", "status", "health"} {
			if s := n.get(k); s.kind() == kindString {
				g.item(key, k, s)
			}
		}
	}
}

// item weighs the state of a list item. Only bad and busy words count: the other items may be better or worse.
func (g *gather) item(key, field string, n node) {
	switch senseOfState(n.str(), g.isTask()) {
	case senseBad, senseBusy:
		g.scalar(atStatus, key, field, n)
	}
}

// outdated says whether all conditions of a list were observed at an earlier generation.
func (g *gather) outdated(conds node) bool {
	if g.generation < 0 || conds.size() == 0 {
		return false
	}
	it := conds.items()
	for n := (node{}); it.more(&n); {
		if seen, ok := n.get("observedGeneration").num(); !ok || seen >= g.generation {
			return false
		}
	}
	return true
}

// leftOver says whether a parent reference is none of those of the spec.
func (g *gather) leftOver(ref node) bool {
	refs := g.spec.get("parentRefs")
	if ref.get("name").str() == "" || refs.size() == 0 {
		return false
	}
	it := refs.items()
	for r := (node{}); it.more(&r); {
		port, hasPort := r.get("port").num()
		refPort, refHasPort := ref.get("port").num()
		if r.get("name").str() == ref.get("name").str() && r.get("sectionName").str() == ref.get("sectionName").str() &&
			hasPort == refHasPort && port == refPort {
			return false
		}
	}
	return true
}

// scalar weighs a word of a state field.
func (g *gather) scalar(at place, a, b string, n node) {
	value := n.str()
	if value == "" || len(value) > 200 {
		return
	}
	cl := claim{conf: FromHeuristic, rule: "heuristic/state", at: at, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: value}}
	cl.reason = value
	s := senseOfState(value, g.isTask())
	switch s {
	case senseBad:
		cl.status, cl.weight = Failed, weightBad-1
		if impaired(value) {
			cl.status, cl.weight = Degraded, weightBad-4 // what is worse decides
		}
	case senseBusy, senseVague:
		cl.status, cl.weight = InProgress, weightBusy-1
	case senseOff:
		cl.status, cl.weight = Suspended, weightOff
		if b == "" {
			cl.weight = weightOffSaid
		}
	case senseUnknown:
		cl.status, cl.weight = Unknown, weightUnknown
	case senseGood:
		cl.weight = goodState
		g.finished = g.finished || b == ""
		g.speakFor(&cl)
		return
	default:
		if b == "" && stateKey(a) == 2 {
			g.strange(&cl)
		}
		return
	}
	g.against(&cl)
}

// strange keeps a state whose word tells nothing. It counts where nothing else speaks: the object says how it is, in words that
// are not known.
func (g *gather) strange(cl *claim) {
	cl.status, cl.weight, cl.conf = Unknown, weightUnknown, FromNothing
	cl.rule = "none/strange-state"
	if g.last.weight == 0 || cl.heavier(&g.last) {
		g.last = *cl
	}
}

// impaired says whether a bad state is one in which an object serves all the same.
func impaired(state string) bool {
	w := words{text: state}
	for b := w.next(); b != nil; b = w.next() {
		switch string(b) {
		case "degraded", "impaired", "warn", "warning":
			return true
		}
	}
	return false
}

// failure weighs a field that holds an error.
func (g *gather) failure(a, b string, n node) {
	if !n.present() {
		return
	}
	cl := claim{
		status: Failed, weight: weightBad - 2, conf: FromHeuristic, rule: "heuristic/error", reason: "Error",
		at: atStatus, a: a, b: b, n: n, msg: message{wording: fieldIs, s1: a, s2: "set"},
	}
	if s := n.str(); s != "" {
		cl.msg = text(s)
	} else if s := n.get("message").str(); s != "" {
		cl.msg = text(s)
	}
	g.against(&cl)
}

// flag weighs a boolean whose name says what it is about.
func (g *gather) flag(key string, n node) {
	cl := claim{conf: FromHeuristic, rule: "heuristic/flag", at: atStatus, a: key, n: n, reason: key}
	switch key {
	case "ready", "readyToUse", "healthy", "available", "synced", "isReady", "completed", "succeeded", "valid", "initialized", "pass", "passed",
		"provisioned", "deployed", "installed", "connected", "registered", "attached", "applied":
		if n.isTrue() {
			cl.weight, cl.msg = goodFlag, message{wording: fieldIs, s1: key, s2: "true"}
			g.speakFor(&cl)
			return
		}
		cl.status, cl.weight, cl.msg = InProgress, weightBusy-3, message{wording: fieldIs, s1: key, s2: "false"}
		if key == "pass" || key == "passed" || key == "valid" {
			cl.status, cl.weight = Failed, weightBad-3
		}
		g.against(&cl)
	default:
		if n.isTrue() && key != "warning" && g.types.about(key).aspect == aspectNegative {
			cl.status, cl.weight, cl.msg = Failed, weightBad-3, message{wording: fieldIs, s1: key, s2: "true"}
			g.against(&cl)
		}
	}
}

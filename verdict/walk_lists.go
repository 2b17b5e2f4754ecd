// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

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
	if g.listNotWell(key, "", list) {
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
		g.listed(key, n)
	}
}

// listed weighs an item of a list that is no condition and has none: its errors, states, results and flags.
func (g *gather) listed(key string, n node) {
	n.fields(func(k string, v node) bool {
		switch v.kind() {
		case kindString:
			switch {
			case k == "error", k == "errors":
				g.failure(key, k, v)
			case stateKey(k) > 0:
				g.item(key, k, v)
			case !formerKey(k) && resultKey(k) && g.words.senseOfEnd(v.str()) >= senseBusy:
				g.item(key, k, v)
			default:
				if _, ok := truth(v); ok {
					g.flagOfItem(key, k, v, n)
				}
			}
		case kindBool:
			g.flagOfItem(key, k, v, n)
		case kindMap, kindList:
			if k == "error" || k == "errors" {
				g.failure(key, k, v)
			}
		}
		return true
	})
}

// untyped weighs an item of a list of conditions that has no type, but a state of its own. Where the status has one the list tells
// how it came about.
func (g *gather) untyped(n node, within string) {
	g.untypeds = g.untypeds || within == "" && n.size() == 0
	if s := n.get("state"); s.kind() == kindString && within == "" && !g.formerStates() && g.words.senseOf(s.str()) == senseBad {
		g.item("conditions", "state", s)
	}
}

// flagOfItem weighs a flag of a list item. Only one that is false counts, and not how a run of many ended.
func (g *gather) flagOfItem(a, key string, n, item node) {
	if yes, _ := truth(n); !yes && flagKeys[key] != flagResult {
		g.flagOf(a, key, key, n, item)
	}
}

// startsWithWord says whether a key starts with a word, which another one may follow.
func startsWithWord(key, word string) bool {
	return strings.HasPrefix(key, word) && (len(key) == len(word) || isUpper(key[len(word)]))
}

// item weighs the state of a list item. Only words that speak against it count: the other items may be better or worse.
func (g *gather) item(key, field string, n node) {
	switch g.words.senseOfState(n.str(), g.isTask()) {
	case senseBad, senseBusy, senseVague:
		g.state(atStatus, key, field, n)
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

// named weighs a map of states by name: {etcd: Down, api: Up}. It is one where all members are single words. Only those that
// speak against it count.
func (g *gather) named(key string, n node) {
	all := true
	n.fields(func(k string, v node) bool {
		all = all && v.kind() == kindString && isWord(v.str()) && stateKey(k) == 0
		return all
	})
	if !all {
		return
	}
	n.fields(func(k string, v node) bool {
		g.item(key, k, v)
		return true
	})
}

func isWord(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) {
			return false
		}
	}
	return s != ""
}

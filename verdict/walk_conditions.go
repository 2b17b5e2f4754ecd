// SPDX-License-Identifier: Apache-2.0

package verdict

// conditions hands the conditions of a list to their rules; within names the list of the status it is nested in, "" for the top level.
func (g *gather) conditions(list node, within string) {
	if list.kind() == kindMap {
		g.conditionMap(list, within)
		return
	}
	it := list.items()
	for n := (node{}); it.more(&n); {
		typ := n.getStr("type")
		if typ == "" {
			g.untyped(n, within)
		} else if within != "" || typ[0] < 'a' || typ[0] > 'z' || !g.formerStates() {
			g.condition(n, typ, within)
		}
	}
}

// formerStates reports whether conditions with types in lower case are states that the object went through rather than ones it
// is in: the status names a state beside the conditions.
func (g *gather) formerStates() bool {
	return g.status.get("state").kind() == kindString || g.status.get("phase").kind() == kindString
}

// conditionMap hands conditions that are written as a map by type to their rules.
func (g *gather) conditionMap(m node, within string) {
	m.fields(func(typ string, n node) bool {
		if n.kind() != kindMap || n.get("status").word() == "" {
			return true
		}
		g.condition(n, typ, within)
		return true
	})
}

// condition hands one condition to its rules.
func (g *gather) condition(n node, typ, within string) {
	if g.knows != nil && within == "" && g.knows.Knows(typ, statusWord(n.getWord("status")), n.get("reason").str()) {
		return
	}
	g.conds = true
	info, word := g.types.about(typ), n.getWord("status")
	status := statusWord(word)
	known := status != isUnknownWord || word == isUnknownWord
	old, seen := false, g.generation
	if g.generation >= 0 && (info.aspect != aspectNeutral || !known) {
		if generation, ok := n.getNum("observedGeneration"); ok {
			old, seen = generation < g.generation && (info.aspect != aspectOff || status != isFalseWord), generation
		}
	}
	if !old && g.passes(info, status, typ) {
		return
	}
	e := &g.ev
	e.info, e.word, e.c = info, word, cond{n, typ, status}
	e.within, e.sense, e.part = within, senseUnread, false
	if within == "" && status != isTrueWord && (typ == "Ready" || typ == "Available" && g.failing.typ == "") {
		g.failing = e.c
	}
	switch {
	case info.summary() && within == "" && impossibleGeneration(seen, g.generation):
		cl := e.makeOf(impossible)
		cl.reason, cl.msg = "ImpossibleGeneration", message{wording: conditionOld, s1: typ, n1: seen, n2: g.generation}
		g.claim(&cl)
	case old:
		g.old(seen)
		return
	}
	if !known {
		if r := statedRules.first(g, e); r != nil {
			g.apply(r)
			return
		}
		if g.stated() {
			return
		}
	}
	if r := conditionTables[info.aspect][statusOrder(status)].first(g, e); r != nil {
		g.apply(r)
	}
}

// stated hands a condition whose status is a word of its own to the rules of states: its author wrote the state where True or False should stand. It
// reports whether the word is known.
func (g *gather) stated() bool {
	e := &g.ev
	if e.sense = g.words.senseOfState(e.word, g.isTask()); e.sense == senseNone || e.sense == senseUnknown {
		return false
	}
	if s := g.words.senseOf(e.c.reason()); e.sense == senseBad && g.words.impaired(e.word) && (s == senseBusy || s == senseVague) {
		e.sense = senseBusy // some components are not ready yet
	}
	e.at, e.a, e.b, e.value, e.part = atCondition, e.c.typ, "status", e.word, true
	r := stateTable.first(g, e)
	if r == nil {
		return false
	}
	cl := e.makeOf(r)
	if r == stateWell {
		g.stands = true
		g.speakFor(&cl)
	} else {
		g.claim(&cl)
	}
	return true
}

// passes reports whether a condition is as it should be and no claim of it could decide, because one of a higher tier has been made.
func (g *gather) passes(info typeInfo, status, typ string) bool {
	if g.trace != nil {
		return false
	}
	switch info.aspect {
	case aspectPositive:
		return status == isTrueWord && g.good.tier > ConditionWell && !info.summary() && !info.over() && typ != "Running" && !g.isTask()
	case aspectNegative:
		return status == isFalseWord && g.good.tier > NegativeWell
	}
	return false
}

// apply makes the claim of a rule about the condition that is looked at.
func (g *gather) apply(r *Rule) {
	switch {
	case r.Says == "": // it means nothing
	case r.Says == Current:
		g.fine(r)
	default:
		cl := g.ev.makeOf(r)
		g.claim(&cl)
	}
}

// old makes the claim that a condition is of an earlier generation: it says nothing about the present one.
func (g *gather) old(seen int64) {
	g.stale = true
	e := &g.ev
	cl := e.makeOf(staleCondition)
	cl.reason, cl.msg = "GenerationNotObserved", message{wording: conditionOld, s1: e.c.typ, n1: seen, n2: g.generation}
	if e.c.status == isTrueWord && e.info.summary() {
		g.claimed(&e.c)
	}
	g.claim(&cl)
}

// claimed remembers the first, by name, of the summaries that say True.
func (g *gather) claimed(c *cond) {
	s := &g.summary
	switch {
	case s.typ == "", c.typ != s.typ && (c.typ == "Ready" || s.typ != "Ready" && c.typ < s.typ), c.typ == s.typ && c.before(s):
		*s = *c
	}
}

// falseSense is what the reason and the message of a condition say about why it is not as it should be.
func (g *gather) falseSense(c *cond) sense {
	reason := c.reason()
	s := g.words.senseOf(reason)
	if nothing(reason) {
		reason, s = "", senseNone
	}
	if s <= senseVague || s == senseBad && unavailable(reason) || s == senseBusy && !waitsOnly(reason) && g.words.complains(c.message()) {
		if m := g.words.senseOfMessage(c.message()); m != senseNone {
			s = m
		}
	}
	if c.severity() == severityError {
		s = senseBad
	}
	return s
}

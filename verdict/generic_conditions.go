// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// conditions weighs a list of conditions; within names the list of the status it is nested in, "" for the top level.
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

// formerStates says whether conditions with types in lower case are states that the object went through rather than ones it
// is in: the status names a state beside the conditions.
func (g *gather) formerStates() bool {
	return g.status.get("state").kind() == kindString || g.status.get("phase").kind() == kindString
}

// conditionMap weighs conditions that are written as a map by type.
func (g *gather) conditionMap(m node, within string) {
	m.fields(func(typ string, n node) bool {
		if n.kind() != kindMap || n.get("status").word() == "" {
			return true
		}
		g.condition(n, typ, within)
		return true
	})
}

func (g *gather) condition(n node, typ, within string) {
	info := g.types.about(typ)
	g.conds = true
	word := n.getWord("status")
	c := &cond{n, typ, statusWord(word)}
	known := c.status != isUnknownWord || word == isUnknownWord
	if info.aspect == aspectNeutral && known {
		if c.status == isTrueWord && c.critical() {
			g.bad(c, within, "condition/negative", 0)
		}
		return
	}
	if g.generation >= 0 {
		if seen, ok := c.observed(); ok && seen < g.generation && (info.aspect != aspectOff || c.status != isFalseWord) {
			g.old(c, within, seen)
			return
		}
	}
	if !known && g.stated(c, info, word, within) {
		return
	}
	switch info.aspect {
	case aspectStep:
		if c.status == isFalseWord {
			g.doubt(c, within, InProgress, weightBusy, "condition/activity")
		}
	case aspectPositive:
		if c.status == isTrueWord && !info.summary && !info.over && g.good.weight > goodPositive && c.typ != "Running" && !g.isTask() {
			return // well, and a weightier condition has said so
		}
		g.positive(c, info, within)
	case aspectNegative:
		if c.status == isTrueWord {
			g.negative(c, info, within)
		} else {
			g.fine(c, within, goodNegative)
		}
	case aspectActivity:
		g.activity(c, within)
	case aspectOff:
		if c.status == isTrueWord {
			g.off(c, within)
		}
	}
}

// off weighs a type that says that something stands still. Its reason may say that it has ended, be it well or not.
func (g *gather) off(c *cond, within string) {
	switch s := senseOf(c.reason()); {
	case s == senseBad:
		g.bad(c, within, "condition/negative", 0)
	case s == senseGood:
		g.fine(c, within, goodNegative)
	case g.isTask():
		g.going(c, within, Suspended, weightStopped, "condition/suspended")
	default:
		g.claim(c, within, Suspended, weightStopped, "condition/suspended")
	}
}

// negative weighs a type whose True is bad. That something is not reached yet may be under way.
func (g *gather) negative(c *cond, info typeInfo, within string) {
	s := senseOf(c.reason())
	switch {
	case s == senseOff:
		g.claim(c, within, Suspended, weightOff, "condition/negative")
	case info.negated && s == senseBusy, c.severity() == severityInfo:
		g.busy(c, within, "condition/negative", 0)
	case info.negated && s <= senseVague && senseOfMessage(c.message()) == senseBusy:
		g.busy(c, within, "condition/negative", 0)
	default:
		g.bad(c, within, "condition/negative", 0)
	}
}

// claim speaks against the object with a condition.
func (g *gather) claim(c *cond, within string, s Status, weight int8, rule string) {
	var cl claim
	cl.of(c, within, s, weight, rule)
	g.against(&cl)
}

// doubt is claim for a condition that counts only where no summary says that all is well.
func (g *gather) doubt(c *cond, within string, s Status, weight int8, rule string) {
	var cl claim
	cl.of(c, within, s, weight, rule)
	if g.vague.weight == 0 || cl.heavier(&g.vague) {
		g.vague = cl
	}
}

// idle keeps that a feature is not used: EncryptionDisabled. It counts where nothing else speaks.
func (g *gather) idle(c *cond, within string) {
	var cl claim
	cl.of(c, within, Suspended, weightOff, "condition/positive")
	if g.last.weight == 0 || cl.heavier(&g.last) {
		g.last = cl
	}
}

// going is claim for a condition that is history where another says that all is over.
func (g *gather) going(c *cond, within string, s Status, weight int8, rule string) {
	var cl claim
	cl.of(c, within, s, weight, rule)
	if g.doing.weight == 0 || cl.heavier(&g.doing) {
		g.doing = cl
	}
}

func (cl *claim) of(c *cond, within string, s Status, weight int8, rule string) {
	*cl = claim{status: s, weight: weight, rule: rule, conf: FromCondition, reason: c.reason(), msg: c.text(), c: *c}
	cl.place(c, within)
	if cl.reason == "" {
		cl.reason = c.typ
	}
}

func (cl *claim) place(c *cond, within string) {
	if within == "" {
		cl.at, cl.a, cl.b = atCondition, c.typ, c.status
		return
	}
	if within == itself {
		cl.at, cl.a, cl.b, cl.n = atStatus, "status", "", c.n.get("status")
		return
	}
	cl.at, cl.a, cl.b, cl.n = atNested, within, c.typ, c.n.get("status")
}

// within is the list of the status in which the condition of a claim is nested, "" for the top level.
func (cl *claim) within() string {
	switch cl.at {
	case atNested:
		return cl.a
	case atStatus:
		return itself
	}
	return ""
}

func (g *gather) bad(c *cond, within, rule string, bonus int8) {
	g.claim(c, within, Failed, weightBad+bonus, rule)
}

func (g *gather) busy(c *cond, within, rule string, bonus int8) {
	g.claim(c, within, InProgress, weightBusy+bonus, rule)
}

// fine speaks for the object. The claim is completed when it is known to be the heaviest.
func (g *gather) fine(c *cond, within string, weight int8) {
	gd := &g.good
	switch {
	case gd.weight > weight:
		return
	case gd.weight < weight:
	case gd.c.typ != c.typ:
		if gd.c.typ < c.typ {
			return
		}
	case gd.c.before(c), !c.before(&gd.c) && gd.within() <= within:
		return
	}
	gd.weight, gd.rule, gd.conf, gd.c = weight, "condition/positive", FromCondition, *c
	gd.place(c, within)
}

// old weighs a condition of an earlier generation: it says nothing about the present one.
func (g *gather) old(c *cond, within string, seen int64) {
	g.stale = true
	cl := claim{
		status: InProgress, weight: weightStale - 1, rule: "condition/generation", conf: FromCondition,
		reason: "GenerationNotObserved", msg: message{wording: conditionOld, s1: c.typ, n1: seen, n2: g.generation}, c: *c,
	}
	cl.place(c, within)
	if c.status == isTrueWord && g.types.about(c.typ).summary {
		g.claimed(c)
	}
	g.against(&cl)
}

// claimed remembers the first, by name, of the summaries that say True.
func (g *gather) claimed(c *cond) {
	s := &g.summary
	switch {
	case s.typ == "", c.typ != s.typ && (c.typ == "Ready" || s.typ != "Ready" && c.typ < s.typ), c.typ == s.typ && c.before(s):
		*s = *c
	}
}

// positive weighs a type whose True is good.
func (g *gather) positive(c *cond, info typeInfo, within string) {
	switch c.status {
	case isTrueWord:
		if c.typ == "Running" && (c.reason() == "Running" || g.isTask() && c.reason() != "Successful") {
			// A task that runs, or the Ansible operator's word for a reconcile that is under way. What it says at the end is Successful.
			g.going(c, within, InProgress, weightBusy, "condition/activity")
			return
		}
		if !g.over && (info.over || g.isTask() && finishes(c.typ)) {
			g.finished = true
			g.over = within == "" && !lasts(c.typ)
		}
		if info.over && senseOf(c.reason()) == senseBad {
			g.bad(c, within, "condition/positive", 1) // it has ended, and the reason says how
			return
		}
		if info.summary && within == "" {
			g.serving = g.serving || info.serving
			if info.serving || info.over {
				g.claimed(c)
			}
			g.fine(c, within, goodSummary)
			return
		}
		g.fine(c, within, goodPositive)
		return
	case isUnknownWord:
		g.undecided(c, info, within)
		return
	}
	reason := c.reason()
	s := senseOf(reason)
	if nothing(reason) {
		reason, s = "", senseNone
	}
	if s <= senseVague || s == senseBad && unavailable(reason) || s == senseBusy && complains(c.message()) {
		if m := senseOfMessage(c.message()); m != senseNone {
			s = m
		}
	}
	bonus := int8(0)
	if info.summary {
		bonus = 1
	}
	switch c.severity() {
	case severityError:
		s = senseBad
	case severityInfo:
		// Its author does not count it as a failure.
		if info.summary {
			g.busy(c, within, "condition/positive", bonus)
		} else {
			g.doubt(c, within, InProgress, weightBusy, "condition/positive")
		}
		return
	}
	switch s {
	case senseBad:
		g.bad(c, within, "condition/positive", bonus)
	case senseBusy, senseVague, senseGood:
		// Under way, or a reason that repeats the status, or contradicts it.
		waiting := s == senseBusy && awaits(c.message())
		g.making = g.making || waiting || info.summary && s == senseBusy
		if info.summary || ongoing(reason) || waiting && senseOf(reason) == senseVague {
			g.busy(c, within, "condition/positive", bonus)
			return
		}
		g.doubt(c, within, InProgress, weightBusy, "condition/positive")
	case senseOff:
		if !info.summary && strings.HasSuffix(reason, "Disabled") {
			g.idle(c, within)
			return
		}
		g.claim(c, within, Suspended, weightOff+bonus, "condition/positive")
	default:
		if info.over || reason == "" && nothing(c.message()) {
			// That it is not over is the normal state before the end, whatever the reason.
			if info.summary {
				g.busy(c, within, "condition/positive", bonus)
			} else {
				g.doubt(c, within, InProgress, weightBusy, "condition/positive")
			}
			return
		}
		if info.summary {
			g.bad(c, within, "condition/positive", bonus)
			return
		}
		g.doubt(c, within, Failed, weightBad, "condition/positive")
	}
}

// undecided weighs a positive type that is Unknown: its author has not made up his mind, or was not heard of.
func (g *gather) undecided(c *cond, info typeInfo, within string) {
	silent := fallsSilent(c.reason()) || fallsSilent(c.message())
	switch {
	case silent && info.summary:
		g.bad(c, within, "condition/unknown", 1)
	case silent:
		g.doubt(c, within, Failed, weightBad, "condition/unknown")
	case info.summary:
		g.busy(c, within, "condition/unknown", 1)
	default:
		g.doubt(c, within, InProgress, weightBusy, "condition/unknown")
	}
}

// activity weighs a type whose True says that something is under way. Its reason may say that it is over, or that it
// got stuck, and that of False that it failed.
func (g *gather) activity(c *cond, within string) {
	switch {
	case c.status == isTrueWord, c.typ == "Progressing":
	case c.status == isUnknownWord, c.typ == "Reconciling": // whether it failed is said by Stalled
		return
	}
	s := senseOf(c.reason())
	switch {
	case s == senseBad && c.status == isTrueWord && missing(c.reason()):
		g.making = true
		g.going(c, within, InProgress, weightBusy, "condition/activity")
	case s == senseBad:
		g.bad(c, within, "condition/activity", 0)
	case c.status != isTrueWord:
	case s == senseGood && !step(c.reason()) && (c.typ == "Progressing" || c.reason() != "AsExpected"):
		g.fine(c, within, goodActivity)
	default:
		g.making = true
		g.going(c, within, InProgress, weightBusy, "condition/activity")
	}
}

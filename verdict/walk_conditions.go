// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/lexicon"
)

// conditions hands the conditions of a list to their rules. within is the list of the status in which it is nested, "" for the top level.
func (ev *evidence) conditions(list Object, within string) {
	if list.kind() == kindMap {
		ev.conditionMap(list, within)
		return
	}
	it := list.items()
	for n := (Object{}); it.more(&n); {
		typ := n.getStr("type")
		if typ == "" {
			ev.untypedItem(n, within)
		} else if within != "" || typ[0] < 'a' || typ[0] > 'z' || !ev.hasStateField() {
			ev.condition(n, typ, within)
		}
	}
}

// hasStateField reports whether the status names a state in addition to its conditions. Conditions with types in lower case are then states
// that the object went through.
func (ev *evidence) hasStateField() bool {
	return ev.status.get("state").kind() == kindString || ev.status.get("phase").kind() == kindString
}

// conditionMap hands conditions that are written as a map by type to their rules.
func (ev *evidence) conditionMap(m Object, within string) {
	m.fields(func(typ string, n Object) bool {
		if n.kind() != kindMap || n.get("status").word() == "" {
			return true
		}
		ev.condition(n, typ, within)
		return true
	})
}

// condition hands one condition to its rules.
func (ev *evidence) condition(n Object, typ, within string) {
	if ev.known != nil && ev.known.Knows(within, typ, string(statusWord(n.getWord("status"))), n.getStr("reason")) {
		return
	}
	ev.hasConditions = true
	info, word := ev.types.About(typ), n.getWord("status")
	status := statusWord(word)
	known := status != conditions.Unknown || word == string(conditions.Unknown)
	old, seen := false, ev.generation
	if ev.generation >= 0 && (info.Aspect != lexicon.AspectNeutral || !known) {
		if generation, ok := n.getNum("observedGeneration"); ok {
			old, seen = generation < ev.generation && (info.Aspect != lexicon.AspectOff || status != conditions.False), generation
		}
	}
	if !old && ev.skips(info, status, typ) && !lexicon.Partly(n.getStr("reason")) {
		return
	}
	e := &ev.entry
	e.info, e.rawStatus, e.c = info, word, Condition{typ, status, n}
	e.within, e.meaning, e.component = within, lexicon.Unread, false
	if within == "" && status != conditions.True && (typ == "Ready" || typ == "Available" && ev.failing.Type == "") {
		ev.failing = e.c
	}
	switch {
	case info.Summary() && within == "" && impossibleGeneration(seen, ev.generation):
		cl := e.claimCondition(impossible)
		cl.reason, cl.msg = "ImpossibleGeneration", message{format: conditionOld, s1: typ, n1: seen, n2: ev.generation}
		ev.claim(&cl)
	case old:
		ev.oldCondition(seen)
		return
	}
	if !known {
		if r := statedRules.first(ev, e); r != nil {
			ev.makeClaim(r)
			return
		}
		if ev.stateInStatus() {
			return
		}
	}
	if r := conditionTables[info.Aspect][statusOrder(status)].first(ev, e); r != nil {
		ev.makeClaim(r)
	}
}

// stateInStatus hands a condition to the rules of states whose author wrote a state in place of True or False. It reports whether the word
// is known.
func (ev *evidence) stateInStatus() bool {
	e := &ev.entry
	if e.meaning = ev.words.MeaningOfState(e.rawStatus, ev.isTask()); e.meaning == lexicon.None || e.meaning == lexicon.NotKnown {
		return false
	}
	if s := ev.words.MeaningOf(e.c.Reason()); e.meaning == lexicon.Broken && ev.words.Impaired(e.rawStatus) &&
		(s == lexicon.UnderWay || s == lexicon.NotSo) {
		e.meaning = lexicon.UnderWay // some components are not ready yet
	}
	e.at, e.a, e.b, e.value, e.component = atCondition, e.c.Type, "status", e.rawStatus, true
	r := stateTable.first(ev, e)
	if r == nil {
		return false
	}
	cl := e.claimCondition(r)
	if r == stateWell {
		ev.claimHealthy(&cl)
	} else {
		ev.claim(&cl)
	}
	return true
}

// skips reports whether a condition is healthy and no claim of it could decide, because there is one of a higher tier.
func (ev *evidence) skips(info lexicon.TypeInfo, status conditions.Status, typ string) bool {
	if ev.trace != nil {
		return false
	}
	switch info.Aspect {
	case lexicon.AspectPositive:
		return status == conditions.True && ev.healthy.tier > tierConditionHealthy && !info.Summary() && !info.Over() && typ != "Running" &&
			!ev.isTask()
	case lexicon.AspectNegative:
		return status == conditions.False && ev.healthy.tier > tierNegativeHealthy
	}
	return false
}

// makeClaim adds the claim of a rule about the condition that is looked at.
func (ev *evidence) makeClaim(r *Rule) {
	switch {
	case r.Says == "": // a rule without a claim
	case r.Says == Current:
		ev.claimHealthyCondition(r)
	default:
		cl := ev.entry.claimCondition(r)
		ev.claim(&cl)
	}
}

// oldCondition adds the claim that a condition is about an older generation: nothing follows from it for the current one.
func (ev *evidence) oldCondition(seen int64) {
	ev.stale = true
	e := &ev.entry
	cl := e.claimCondition(staleCondition)
	cl.reason, cl.msg = "GenerationNotObserved", message{format: conditionOld, s1: e.c.Type, n1: seen, n2: ev.generation}
	if e.c.Status == conditions.True && e.info.Summary() {
		ev.keepSummary(&e.c)
	}
	ev.claim(&cl)
}

// keepSummary keeps one of the summaries that are True: Ready, or else the first by name.
func (ev *evidence) keepSummary(c *Condition) {
	s := &ev.summary
	switch {
	case s.Type == "", c.Type != s.Type && (c.Type == "Ready" || s.Type != "Ready" && c.Type < s.Type), c.Type == s.Type && c.before(s):
		*s = *c
	}
}

// whyFalse returns the meaning of the reason and the message of a condition that is not healthy.
func (ev *evidence) whyFalse(c *Condition) lexicon.Meaning {
	reason := c.Reason()
	s := ev.words.MeaningOf(reason)
	if lexicon.Nothing(reason) {
		reason, s = "", lexicon.None
	}
	if s <= lexicon.NotSo || s == lexicon.Broken && lexicon.Unavailable(reason) || s == lexicon.UnderWay && !lexicon.WaitReasons[reason] &&
		ev.words.Complains(c.Message()) {
		if m := ev.words.MeaningOfMessage(c.Message()); m != lexicon.None {
			s = m
		}
	}
	if c.Severity() == conditions.SeverityError {
		s = lexicon.Broken
	}
	return s
}

// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// conditions hands the conditions of a list to their rules. within is the list of the status in which it is nested, "" for the top level.
func (ev *evidence) conditions(list object.Value, within string) {
	if list.Kind() == object.Map {
		ev.conditionMap(list, within)
		return
	}
	repeats := list.Repeats()
	for n := range list.Items() {
		typ := n.TextAt("type")
		if typ == "" {
			ev.untypedItem(n, within)
		} else if repeats && list.Superseded(n, typ) {
			continue
		} else if within != "" || typ[0] < 'a' || typ[0] > 'z' || !ev.hasStateField() {
			ev.condition(n, typ, within)
		}
	}
}

// hasStateField reports whether the status names a state in addition to its conditions. Conditions with types in lower case are then states
// that the object went through.
func (ev *evidence) hasStateField() bool {
	return ev.Status.Get("state").Kind() == object.String || ev.Status.Get("phase").Kind() == object.String
}

// conditionMap hands conditions that are written as a map by type to their rules.
func (ev *evidence) conditionMap(m object.Value, within string) {
	for typ, n := range m.Fields() {
		if n.Kind() != object.Map || n.Get("status").Word() == "" {
			continue
		}
		ev.condition(n, typ, within)
	}
}

// condition hands one condition to its rules.
func (ev *evidence) condition(n object.Value, typ, within string) {
	if ev.known != nil && ev.known.Knows(within, typ, string(object.StatusWord(n.WordAt("status"))), n.TextAt("reason")) {
		return
	}
	ev.hasConditions = true
	info, word := ev.Types.About(typ), n.WordAt("status")
	status := object.StatusWord(word)
	known := status != conditions.Unknown || word == string(conditions.Unknown)
	old, seen := false, ev.Generation
	if ev.Generation >= 0 && (info.Aspect != lexicon.AspectNeutral || !known) {
		if generation, ok := n.NumberAt("observedGeneration"); ok {
			old, seen = generation < ev.Generation && (info.Aspect != lexicon.AspectOff || status != conditions.False), generation
		}
	}
	if !old && ev.skips(info, status, typ) && asIs(ev.Words, typ, n.TextAt("reason")) {
		return
	}
	e := &ev.entry
	e.info, e.rawStatus, e.c = info, word, object.Condition{Type: typ, Status: status, N: n}
	e.within, e.meaning, e.component = within, lexicon.Unread, false
	if within == "" && status != conditions.True && (typ == "Ready" || typ == "Available" && ev.failing.Type == "") {
		ev.failing = e.c
	}
	switch {
	case info.Summary() && within == "" && ImpossibleGeneration(seen, ev.Generation):
		cl := e.claimCondition(impossible)
		cl.reason, cl.msg = "ImpossibleGeneration", object.ConditionOld.Count(typ, seen, ev.Generation)
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
	if r := conditionTables[info.Aspect][object.StatusOrder(status)].first(ev, e); r != nil {
		ev.makeClaim(r)
	}
}

// stateInStatus hands a condition to the rules of states whose author wrote a state in place of True or False. It reports whether the word
// is known.
func (ev *evidence) stateInStatus() bool {
	e := &ev.entry
	if e.meaning = ev.Words.MeaningOfState(e.rawStatus, ev.isTask()); e.meaning == lexicon.None || e.meaning == lexicon.NotKnown {
		return false
	}
	if s := ev.Words.MeaningOf(e.c.Reason()); e.meaning == lexicon.Broken && ev.Words.Impaired(e.rawStatus) &&
		(s == lexicon.UnderWay || s == lexicon.NotSo) {
		e.meaning = lexicon.UnderWay // some components are not ready yet
	}
	e.Place, e.A, e.B, e.value, e.component = object.PathCondition, e.c.Type, "status", e.rawStatus, true
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
	case r.Says == answer.Current:
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
	cl.reason, cl.msg = "GenerationNotObserved", object.ConditionOld.Count(e.c.Type, seen, ev.Generation)
	if e.c.Status == conditions.True && e.info.Summary() {
		ev.keepSummary(&e.c)
	}
	ev.claim(&cl)
}

// keepSummary keeps one of the summaries that are True: Ready, or else the first by name.
func (ev *evidence) keepSummary(c *object.Condition) {
	s := &ev.summary
	switch {
	case s.Type == "", c.Type != s.Type && (c.Type == "Ready" || s.Type != "Ready" && c.Type < s.Type), c.Type == s.Type && c.Before(s):
		*s = *c
	}
}

// whyFalse returns the meaning of the reason and the message of a condition that is not healthy.
func (ev *evidence) whyFalse(c *object.Condition) lexicon.Meaning {
	reason := c.Reason()
	s := ev.Words.MeaningOf(reason)
	if lexicon.Nothing(reason) {
		reason, s = "", lexicon.None
	}
	if s <= lexicon.NotSo || s == lexicon.Broken && lexicon.Unavailable(reason) || s == lexicon.UnderWay && !lexicon.WaitReasons[reason] &&
		ev.Words.Complains(c.Message()) {
		if m := ev.Words.MeaningOfMessage(c.Message()); m != lexicon.None {
			s = m
		}
	}
	if c.Severity() == conditions.SeverityError {
		s = lexicon.Broken
	}
	return s
}

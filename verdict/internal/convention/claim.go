// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/lexicon"
	"github.com/tristate/tristate/verdict/internal/object"
)

// claim is the status that a rule claims for an object, with the field or condition that it rests on.
type claim struct {
	rule   *Rule
	tier   Tier          // of the rule; noTier: there is no claim
	says   answer.Status // of the rule, unless the evidence as a whole softens it
	reason string
	msg    object.Message
	object.Fact
	c     object.Condition // the condition, if it rests on one
	until int64            // when the benefit of the doubt ends, in Unix seconds; 0 without one
}

// entry is the condition or field that rules look at, with what they need to know of it.
type entry struct {
	object.Fact
	key       string       // the name of the field
	value     string       // its value, if it is a string
	beside    object.Value // the map that has it
	c         object.Condition
	info      lexicon.TypeInfo
	rawStatus string // the status of the condition as it is written
	within    string // the list of the status in which the condition is nested, "" for the top level
	meaning   lexicon.Meaning
	component bool // it is about a component
	flagTrue  bool // the value of a flag
	flag      flagMeaning
}

// claim returns the claim of a rule about a field.
func (e *entry) claim(r *Rule, reason string, m object.Message) claim {
	return claim{rule: r, tier: r.Tier, says: r.Says, reason: reason, msg: m, Fact: e.Fact}
}

// claimCondition returns the claim of a rule about a condition.
func (e *entry) claimCondition(r *Rule) claim {
	c := &e.c
	cl := claim{rule: r, tier: r.Tier, says: r.Says, reason: c.Reason(), msg: c.Sentence(), c: *c}
	cl.locate(c, e.within)
	if cl.reason == "" {
		cl.reason = c.Type
	}
	return cl
}

// locate sets the path of the condition of a claim.
func (cl *claim) locate(c *object.Condition, within string) {
	switch within {
	case "":
		cl.Place, cl.A, cl.B = object.PathCondition, c.Type, string(c.Status)
	case itself:
		cl.Fact = object.InStatus("status", "", c.N.Get("status"))
	default:
		cl.Fact = object.At(object.PathNested, within, c.Type, c.N.Get("status"))
	}
}

// within returns the list of the status in which the condition of a claim is nested, "" for the top level.
func (cl *claim) within() string {
	switch cl.Place {
	case object.PathNested:
		return cl.A
	case object.PathStatus:
		return itself
	}
	return ""
}

// outranks orders claims totally, so that the order of lists and maps cannot matter.
func (cl *claim) outranks(o *claim) bool {
	switch {
	case cl.tier != o.tier:
		return cl.tier > o.tier
	case cl.A != o.A:
		return cl.A < o.A
	case cl.B != o.B:
		return cl.B < o.B
	case cl.reason != o.reason:
		return cl.reason < o.reason
	case cl.msg.S1 != o.msg.S1:
		return cl.msg.S1 < o.msg.S1
	case cl.msg.S2 != o.msg.S2:
		return cl.msg.S2 < o.msg.S2
	case cl.msg.N1 != o.msg.N1:
		return cl.msg.N1 < o.msg.N1
	case cl.rule != o.rule:
		return cl.rule.number < o.rule.number
	case cl.c.Type != "" && o.c.Type != "":
		return cl.c.BeforeRaw(&o.c)
	}
	return cl.c.Type < o.c.Type
}

// rank compares claims for sorting, the one that outranks the others first.
func rank(a, b claim) int {
	switch {
	case a.outranks(&b):
		return -1
	case b.outranks(&a):
		return 1
	}
	return 0
}

// claims has, for each reservation, the claim that outranks the others.
type claims [reservations]claim

// leftOut reports whether a rule is left out, to measure its worth.
func (ev *evidence) leftOut(r *Rule) bool { return ev.without != nil && ev.without[r.ID] }

// claim adds a claim that does not speak for the object.
func (ev *evidence) claim(cl *claim) {
	if ev.leftOut(cl.rule) {
		return
	}
	if ev.known != nil && ev.repeats(cl) {
		return
	}
	if ev.trace != nil {
		ev.trace.claims = append(ev.trace.claims, *cl)
	}
	if cl.Place == object.PathCondition && cl.tier > tierUnfinished && cl.says != answer.Suspended {
		ev.unhealthy = append(ev.unhealthy, *cl)
		if (ev.detailed.tier == noTier || cl.outranks(&ev.detailed)) && cl.c.Message() != "" {
			ev.detailed = *cl
		}
	}
	if cl.Place == object.PathCondition && answer.FailsNow(&cl.c, ev.Generation, cl.says) {
		ev.failsNow |= 1 << cl.rule.Unless
	}
	if cl.tier > tierUnfinished {
		ev.said[cl.rule.Unless] |= 1 << cl.says.Rank()
	}
	if best := &ev.claims[cl.rule.Unless]; best.tier == noTier || cl.outranks(best) {
		*best = *cl
	}
}

// claimField adds the claim of a rule about a field, or about the whole object without one.
func (ev *evidence) claimField(r *Rule, reason string, m object.Message, f object.Fact) {
	ev.claim(&claim{rule: r, tier: r.Tier, says: r.Says, reason: reason, msg: m, Fact: f})
}

// pick returns the claim that decides: that of the highest tier among those that nothing sets aside; nil without one.
func (ev *evidence) pick() *claim {
	var best *claim
	for unless := range ev.claims {
		cl := &ev.claims[unless]
		if cl.tier != noTier && !ev.setAside(Reservation(unless)) && (best == nil || cl.outranks(best)) {
			best = cl
		}
	}
	return best
}

// rival returns the worst other status that claims say which are not set aside; empty without one. A claim that outranks
// all of the status, such as a suspended spec, has no rival.
func (ev *evidence) rival(b *claim, says answer.Status) answer.Status {
	if b.tier >= tierStaleField {
		return ""
	}
	var said uint8
	for r := range reservations {
		if !ev.setAside(r) {
			said |= ev.said[r]
		}
	}
	for i := len(answer.Statuses) - 1; i >= 0; i-- {
		if s := answer.Statuses[i]; said&(1<<i) != 0 && s != says && !(s.Broken() && says.Broken()) {
			return s
		}
	}
	return ""
}

// setAside reports whether claims with a reservation do not count.
func (ev *evidence) setAside(r Reservation) bool {
	switch r {
	case unlessSummary:
		return ev.summary.Type != "" || ev.currentBy != ""
	case unlessOver:
		return ev.endedByCondition
	case unlessStateHealthy:
		return ev.stateHealthy
	case unlessFailsNow:
		for unless := always; unless < unlessFailsNow; unless++ {
			if ev.failsNow&(1<<unless) != 0 && !ev.setAside(unless) {
				return true
			}
		}
	}
	return false
}

// claimHealthy adds a claim that speaks for the object.
func (ev *evidence) claimHealthy(cl *claim) {
	if ev.leftOut(cl.rule) {
		return
	}
	if ev.trace != nil {
		ev.trace.claims = append(ev.trace.claims, *cl)
	}
	if ev.healthy.tier == noTier || cl.outranks(&ev.healthy) {
		ev.healthy = *cl
	}
}

// claimHealthyCondition is claimHealthy for the condition that is looked at. The claim is completed when it is known to decide.
func (ev *evidence) claimHealthyCondition(r *Rule) {
	if ev.leftOut(r) {
		return
	}
	e := &ev.entry
	if ev.trace != nil {
		ev.trace.claims = append(ev.trace.claims, e.claimCondition(r))
	}
	best, c := &ev.healthy, &e.c
	switch {
	case best.tier > r.Tier:
		return
	case best.tier < r.Tier:
	case best.c.Type != c.Type:
		if best.c.Type < c.Type {
			return
		}
	case best.c.Before(c), !c.Before(&best.c) && best.within() <= e.within:
		return
	}
	best.rule, best.tier, best.says, best.c = r, r.Tier, answer.Current, *c
	best.locate(c, e.within)
}

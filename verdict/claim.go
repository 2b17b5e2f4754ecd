// SPDX-License-Identifier: Apache-2.0

package verdict

// claim is what a rule says of an object, with the evidence it rests on.
type claim struct {
	rule   *Rule
	tier   Tier   // of the rule; NoTier: there is no claim
	status Status // of the rule
	reason string
	msg    message
	at     place
	a, b   string
	n      node  // the field
	c      cond  // the condition, where there is one
	until  int64 // when the benefit of the doubt ends, in Unix seconds; 0 without one
}

// evidence is what the walk over an object has come upon: a condition, or a field with what stands beside it.
type evidence struct {
	at     place
	a, b   string
	n      node
	key    string // the name of the field
	value  string // its value, where it is a string
	beside node   // the map that it stands in
	c      cond
	info   typeInfo
	word   string // the status of the condition as it is written
	within string // the list of the status in which the condition is nested, "" for the top level
	sense  sense  // what the words say
	part   bool   // it is about a component
	yes    bool   // the value of a flag
	flag   flagMeaning
}

// make is the claim of a rule about a field.
func (e *evidence) make(r *Rule, reason string, m message) claim {
	return claim{rule: r, tier: r.Tier, status: r.Says, reason: reason, msg: m, at: e.at, a: e.a, b: e.b, n: e.n}
}

// makeOf is the claim of a rule about a condition.
func (e *evidence) makeOf(r *Rule) claim {
	c := &e.c
	cl := claim{rule: r, tier: r.Tier, status: r.Says, reason: c.reason(), msg: c.text(), c: *c}
	cl.place(c, e.within)
	if cl.reason == "" {
		cl.reason = c.typ
	}
	return cl
}

func (cl *claim) place(c *cond, within string) {
	switch within {
	case "":
		cl.at, cl.a, cl.b = atCondition, c.typ, c.status
	case itself:
		cl.at, cl.a, cl.b, cl.n = atStatus, "status", "", c.n.get("status")
	default:
		cl.at, cl.a, cl.b, cl.n = atNested, within, c.typ, c.n.get("status")
	}
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

// outranks orders claims totally, so that the order of lists and maps cannot matter.
func (cl *claim) outranks(o *claim) bool {
	if cl.tier != o.tier {
		return cl.tier > o.tier
	}
	if cl.a != o.a {
		return cl.a < o.a
	}
	if cl.b != o.b {
		return cl.b < o.b
	}
	if cl.reason != o.reason {
		return cl.reason < o.reason
	}
	if cl.msg.s1 != o.msg.s1 || cl.msg.s2 != o.msg.s2 {
		return cl.msg.s1 < o.msg.s1 || cl.msg.s1 == o.msg.s1 && cl.msg.s2 < o.msg.s2
	}
	if cl.msg.n1 != o.msg.n1 {
		return cl.msg.n1 < o.msg.n1
	}
	if cl.rule != o.rule {
		return cl.rule.n < o.rule.n
	}
	if cl.c.typ != "" && o.c.typ != "" {
		return cl.c.beforeRaw(&o.c)
	}
	return cl.c.typ < o.c.typ
}

// claims keeps, for each reservation, the claim that outranks the others.
type claims [reservations]claim

// claim takes in what a rule says.
func (g *gather) claim(cl *claim) {
	if g.without != nil && g.without[cl.rule.ID] {
		return
	}
	if g.trace != nil {
		*g.trace = append(*g.trace, *cl)
	}
	if g.collect && cl.at == atCondition && cl.tier > Unfinished && cl.status != Suspended {
		g.bad = append(g.bad, *cl)
	}
	if cl.at == atCondition && cl.tier > Unfinished && cl.status != Suspended && (g.spoken.tier == NoTier || cl.outranks(&g.spoken)) && cl.c.message() != "" {
		g.spoken = *cl
	}
	if cl.status == Failed && cl.at == atCondition && g.generation >= 0 {
		if seen, ok := cl.c.observed(); ok && seen == g.generation {
			g.failsNow |= 1 << cl.rule.Unless
		}
	}
	if best := &g.claims[cl.rule.Unless]; best.tier == NoTier || cl.outranks(best) {
		*best = *cl
	}
}

// pick is the claim that decides: the one of the highest tier among those that nothing sets aside; nil where there is none.
func (g *gather) pick() *claim {
	var best *claim
	for unless := range g.claims {
		cl := &g.claims[unless]
		if cl.tier != NoTier && !g.setAside(Reservation(unless)) && (best == nil || cl.outranks(best)) {
			best = cl
		}
	}
	return best
}

// setAside reports whether claims with a reservation do not count.
func (g *gather) setAside(r Reservation) bool {
	switch r {
	case UnlessSummary:
		return g.summary.typ != "" || g.vouched != ""
	case UnlessOver:
		return g.over
	case UnlessStateWell:
		return g.stands
	case UnlessFailsNow:
		for unless := Always; unless < UnlessFailsNow; unless++ {
			if g.failsNow&(1<<unless) != 0 && !g.setAside(unless) {
				return true
			}
		}
	}
	return false
}

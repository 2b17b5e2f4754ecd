// SPDX-License-Identifier: Apache-2.0

package verdict

// knowledge of a kind reports which conditions and fields of the status it reads, or ignores.
type knowledge interface {
	Knows(conditionType, status, reason string) bool
	Reads(field string) bool
}

// provisional holds an answer of Current from a pack or a catalog against what that knowledge does not read: it stands only if no condition
// that it neither reads nor ignores is bad, no field for errors that it does not read holds one, and the generation, the flags and the numbers
// of the status agree. A failure beside it is an impairment; what only repeats that a capability is not there stays as a doubt. numbers says
// that the knowledge has looked at the numbers.
func (j *judge) provisional(knows knowledge, numbers bool) {
	if j.v.Status == InProgress {
		j.doubtProgress(knows)
	}
	if j.v.Status != Current || j.status.kind() != kindMap {
		return
	}
	g := j.e.borrow(j)
	defer j.e.giveBack(g)
	g.knows, g.vouched = knows, j.v.Reason
	if g.vouched == "" {
		g.vouched = string(Current)
	}
	g.lag()
	g.conditions(j.status.get("conditions"), "")
	g.statusFlags()
	if g.counted && !numbers {
		g.counts()
	}
	g.claims[UnlessOver] = claim{} // what is going on is not bad
	b := g.pick()
	if b == nil || b.tier < Unfinished || b.status == Suspended && b.tier < HeldByNote {
		if weak := &g.claims[UnlessSummary]; weak.tier > Unfinished {
			j.v.contradict(g.vouched, weak.msg)
		}
		return
	}
	g.serving = true
	g.temper(b)
	if b.status == Failed && b.rule == errorField && !g.isTask() {
		b.status = Degraded // what is there goes on
	}
	was := j.v
	j.v = Verdict{NextLook: was.NextLook}
	v := &j.v
	v.answer(b.status, b.rule.confidence, b.rule.ID, b.reason, b.msg)
	v.rule = b.rule
	v.byClaim(b)
	v.Ready = was.Ready && g.failing.typ != "Ready" && (b.status == Degraded || b.status == InProgress && !g.stale)
	g.proof(v, b)
	v.contradict(g.vouched, b.msg)
	if was.nfacts > 0 {
		was.nfacts = 1
		v.proveAgain(&was)
	}
	j.collectClaims(g.bad)
}

// doubtProgress holds an answer of InProgress from a pack or a catalog against the conditions that this knowledge does not read: where one says that the
// object failed for good, and not only that something is missing, a doubt stays.
func (j *judge) doubtProgress(knows knowledge) {
	list := j.status.get("conditions")
	if list.size() == 0 {
		return
	}
	g := j.e.borrow(j)
	defer j.e.giveBack(g)
	g.knows, g.vouched, g.making = knows, string(InProgress), true
	g.conditions(list, "")
	b := g.pick()
	if b == nil || b.at != atCondition || b.tier < ConditionBroken || b.tier > SummaryBroken || b.c.typ == j.v.Type {
		return
	}
	if g.temper(b); b.status == Failed {
		j.v.contradict(string(InProgress), message{wording: listed, s1: b.c.typ, s2: b.msg.String()})
	}
}

// statusFlags hands the booleans of the status by which an object says that it is ready, those of its initialization, and errors to their rules.
func (g *gather) statusFlags() {
	g.status.fields(func(key string, n node) bool {
		switch n.kind() {
		case kindString, kindList:
			if errorKey(key) && !g.knows.Reads(key) {
				g.failure(key, "", n)
			}
		case kindBool:
			if m := g.meaningOf(key); m == flagWaits || m == flagFails {
				g.flag(key, n)
			}
		case kindInt:
			g.counted = g.counted || familyKeys[key]
		case kindMap:
			if key == "initialization" {
				g.part(key, "", n)
			}
		}
		return true
	})
}

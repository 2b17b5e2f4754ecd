// SPDX-License-Identifier: Apache-2.0

package verdict

// knowledge of a kind reports which conditions and fields of the status it reads or ignores.
type knowledge interface {
	Knows(conditionType, status, reason string) bool
	Reads(field string) bool
}

// provisional compares an answer of Current from a pack or a catalog with everything that its knowledge does not read: it stands only if no such
// condition is unhealthy, no such field for errors has one, and the generation, the flags and the numbers of the status agree. A failure turns it
// into Degraded; a weak claim stays as a contradiction. numbers reports whether the knowledge compares the numbers itself.
func (j *judgement) provisional(knows knowledge, numbers bool) {
	if j.v.Status == InProgress {
		j.doubtProgress(knows)
	}
	if j.v.Status != Current || j.status.kind() != kindMap {
		return
	}
	ev := j.e.borrow(j)
	defer j.e.giveBack(ev)
	ev.known, ev.currentBy = knows, j.v.Reason
	if ev.currentBy == "" {
		ev.currentBy = string(Current)
	}
	ev.lag()
	ev.conditions(j.status.get("conditions"), "")
	ev.readinessFields()
	if ev.hasCounts && !numbers {
		ev.counts()
	}
	ev.claims[unlessOver] = claim{} // activity is not unhealthy
	b := ev.pick()
	if b == nil || b.tier < tierUnfinished || b.says == Suspended && b.tier < tierHeldByNote {
		if weak := &ev.claims[unlessSummary]; weak.tier > tierUnfinished {
			j.v.contradict(ev.currentBy, weak.msg)
		}
		return
	}
	ev.serving = true
	ev.soften(b)
	if b.says == Failed && b.rule == errorField && !ev.isTask() {
		b.says = Degraded // the object goes on serving
	}
	was := j.v
	j.v = Verdict{NextLook: was.NextLook}
	v := &j.v
	v.byRule(b)
	v.Ready = was.Ready && ev.failing.Type != "Ready" && (b.says == Degraded || b.says == InProgress && !ev.stale)
	ev.prove(v, b)
	v.contradict(ev.currentBy, b.msg)
	if was.nfacts > 0 {
		was.nfacts = 1
		v.proveAgain(&was)
	}
	j.collectClaims(ev.unhealthy)
}

// doubtProgress adds a contradiction to an answer of InProgress from a pack or a catalog, if a condition that it does not read reports a final
// failure, and not only that something is missing.
func (j *judgement) doubtProgress(knows knowledge) {
	list := j.status.get("conditions")
	if list.size() == 0 {
		return
	}
	ev := j.e.borrow(j)
	defer j.e.giveBack(ev)
	ev.known, ev.currentBy, ev.progressing = knows, string(InProgress), true
	ev.conditions(list, "")
	b := ev.pick()
	if b == nil || b.at != atCondition || b.tier < tierConditionBroken || b.tier > tierSummaryBroken || b.c.Type == j.v.Type {
		return
	}
	if ev.soften(b); b.says == Failed {
		j.v.contradict(string(InProgress), message{format: listed, s1: b.c.Type, s2: b.msg.String()})
	}
}

// readinessFields hands the booleans of the status that are about readiness, those of its initialization, and errors to their rules.
func (ev *evidence) readinessFields() {
	ev.status.fields(func(key string, n Object) bool {
		switch n.kind() {
		case kindString, kindList:
			if errorKey(key) && !ev.known.Reads(key) {
				ev.errorField(key, "", n)
			}
		case kindBool:
			if m := ev.flagKind(key); m == flagWaits || m == flagFails {
				ev.flag(key, n)
			}
		case kindInt:
			ev.hasCounts = ev.hasCounts || familyKeys[key]
		case kindMap:
			if key == "initialization" {
				ev.component(key, "", n)
			}
		}
		return true
	})
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// knowledge of a kind reports which conditions and fields of the status it reads or ignores.
type knowledge interface {
	Knows(within, conditionType, status, reason string) bool
	Reads(field string) bool
}

// provisional compares an answer from a pack or a catalog with everything that its knowledge does not read: a pack is not blinder than the
// conventions alone. Current is kept only if no such condition is unhealthy, wherever in the status it is, no such field for errors has
// one, and the generation, the flags and the numbers of the status agree. InProgress, Suspended and Unknown stand only if no such condition
// reports a failure. A failure turns an answer of Current into Degraded; a weak claim stays as a contradiction. numbers reports whether the
// knowledge compares the numbers itself. It reports whether another answer took the place of the given one.
func (j *judgement) provisional(knows knowledge, numbers bool) (overruled bool) {
	if j.status.kind() != kindMap {
		return false
	}
	ev := j.e.borrow(j)
	defer j.e.giveBack(ev)
	ev.known, ev.currentBy = knows, j.v.Reason
	if ev.currentBy == "" {
		ev.currentBy = string(j.v.Status)
	}
	ev.judged = j.v.Status
	switch ev.judged {
	case Current:
		return j.doubtCurrent(ev, numbers)
	case InProgress, Suspended, Unknown:
		return j.doubtOther(ev)
	}
	return false
}

// doubtCurrent is provisional for an answer of Current.
func (j *judgement) doubtCurrent(ev *evidence, numbers bool) bool {
	ev.lag()
	ev.conditions(j.status.get("conditions"), "")
	ev.unreadFields()
	if ev.hasCounts && !numbers {
		ev.counts()
	}
	ev.claims[unlessOver] = claim{} // activity is not unhealthy
	b := ev.pick()
	if b == nil || b.tier < tierUnfinished || b.says == Suspended && b.tier < tierHeldByNote {
		b = &ev.claims[unlessSummary]
		if b.rule != pairShort || numbers || j.says("Ready") || j.says("Available") {
			if b.tier > tierUnfinished {
				j.v.contradict(ev.currentBy, b.msg)
			}
			return false
		}
	}
	ev.serving = true
	ev.soften(b)
	if b.says == Failed && b.rule == errorField && !ev.isTask() {
		b.says = Degraded // the object goes on serving
	}
	j.overrule(ev, b, b.says == Degraded || b.says == InProgress && !ev.stale)
	return true
}

// doubtOther is provisional for any other answer: a condition counts that reports a failure, and not only that something is missing while
// the object is in progress.
func (j *judgement) doubtOther(ev *evidence) bool {
	ev.progressing = j.v.Status == InProgress
	ev.collect()
	b := ev.pick()
	if b == nil || b.c.Type == "" || !b.says.Broken() {
		return false
	}
	ev.serving = ev.serving || j.says("Ready")
	if ev.soften(b); !b.says.Broken() {
		return false
	}
	j.overrule(ev, b, b.says == Degraded)
	return true
}

// repeats reports whether a claim adds nothing to the answer of a pack or a catalog: a state of work under way, or, unless the answer is
// Current, a condition with the reason on which the answer rests, or one that is normal while the object is in progress.
func (ev *evidence) repeats(cl *claim) bool {
	if ev.judged == Current {
		return cl.tier == tierStateBusy
	}
	return cl.c.Type != "" && cl.says.Broken() && (cl.reason == ev.currentBy || ev.judged == InProgress &&
		(ev.whileProgressing(cl) || ev.withinGrace(cl)))
}

// says reports whether a condition is True.
func (j *judgement) says(conditionType string) bool {
	var c Condition
	return j.find(conditionType, &c) && c.Status == conditions.True
}

// overrule answers with a claim in place of a pack or a catalog, whose answer stays as a contradiction. serves reports whether the object
// can be ready by it.
func (j *judgement) overrule(ev *evidence, b *claim, serves bool) {
	was := j.v
	j.v, j.others = Verdict{NextLook: was.NextLook}, nil
	v := &j.v
	v.byRule(b)
	v.Ready = serves && ev.failing.Type != "Ready" && (was.Ready || was.Status != Current)
	ev.prove(v, b)
	v.contradict(ev.currentBy, b.msg)
	if was.nfacts > 0 {
		was.nfacts = 1
		v.proveAgain(&was)
	}
	j.collectClaims(ev.unhealthy)
}

// unreadFields hands the members of the status that the knowledge of the kind does not read to their rules, and the conditions in those
// that it reads.
func (ev *evidence) unreadFields() {
	ev.status.fields(func(key string, n Object) bool {
		if key == "conditions" || key == "observedGeneration" {
			return true
		}
		switch n.kind() {
		case kindString:
			if errorKey(key) && !ev.reads(key) {
				ev.errorField(key, "", n)
			}
		case kindBool:
			if m := ev.flagKind(key); (m == flagWaits || m == flagFails) && !ev.reads(key) {
				ev.flag(key, n)
			}
		case kindInt:
			ev.hasCounts = ev.hasCounts || familyKeys[key]
			if !ev.reads(key) {
				ev.countPair(key, "", key, n, ev.status)
			}
		case kindMap:
			ev.nestedMap(key, n)
		case kindList:
			if errorKey(key) && !ev.reads(key) {
				ev.errorField(key, "", n)
			} else {
				ev.list(key, n)
			}
		}
		return true
	})
}

// reads reports whether the knowledge of the kind reads a member of the status, of which then only the conditions count that it does not
// know.
func (ev *evidence) reads(key string) bool { return ev.known != nil && ev.known.Reads(key) }

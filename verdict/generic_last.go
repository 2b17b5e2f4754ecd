// SPDX-License-Identifier: Apache-2.0

package verdict

// told decides by what is left where no condition, state, flag or number says anything: the reason and the message of the status,
// and the times of a task. It reports whether it did.
func (g *gather) told(v *Verdict) bool {
	reason, msg := g.status.get("reason"), g.status.get("message")
	s, n, field := senseOf(reason.str()), reason, "reason"
	if s <= senseVague {
		if m := senseOfMessage(msg.str()); m > senseVague {
			s, n, field = m, msg, "message"
		}
	}
	name, m := reason.str(), message{s1: msg.str()}
	if name == "" {
		name = "Message"
	} else if m.s1 == "" {
		m = message{wording: fieldIs, s1: field, s2: name}
	}
	switch {
	case s == senseBad:
		v.answer(Failed, FromHeuristic, "heuristic/text", name, m)
	case s == senseBusy:
		v.answer(InProgress, FromHeuristic, "heuristic/text", name, m)
	case g.searched(v):
		return true
	default:
		return g.isTask() && g.timed(v)
	}
	v.prove(atStatus, field, "", n)
	return true
}

// searched decides by words that speak against the object in fields about a state, at any depth: what is read before is not the
// whole of the status.
func (g *gather) searched(v *Verdict) bool {
	g.status.fields(func(key string, n node) bool {
		g.search(key, key, n, searchDepth)
		return true
	})
	b := &g.best
	if b.weight == 0 {
		return false
	}
	v.answer(b.status, b.conf, b.rule, b.reason, b.msg)
	g.proof(v, b)
	return true
}

const searchDepth = 6

// search looks for such words below a member of the status; key is the last one on the way.
func (g *gather) search(top, key string, n node, depth int) {
	if depth == 0 || key == "conditions" || historyKey(key) || formerKey(key) {
		return
	}
	switch n.kind() {
	case kindString:
		if !aboutState(key) {
			return
		}
		cl := claim{conf: FromHeuristic, rule: "heuristic/search", reason: n.str(), at: atDeep, a: top, b: key, n: n, msg: message{wording: fieldIs, s1: key, s2: n.str()}}
		switch senseOfEnd(n.str()) {
		case senseBad:
			cl.status, cl.weight = Failed, weightBad
		case senseBusy, senseVague:
			cl.status, cl.weight = InProgress, weightBusy
		default:
			return
		}
		g.against(&cl)
	case kindMap:
		n.fields(func(k string, m node) bool {
			g.search(top, k, m, depth-1)
			return true
		})
	case kindList:
		it := n.items()
		for m := (node{}); it.more(&m); {
			g.search(top, key, m, depth-1)
		}
	}
}

// aboutState says whether a key has to do with a state.
func aboutState(key string) bool {
	for _, word := range [...]string{"state", "status", "phase", "health", "progress", "reason", "condition"} {
		if containsFold(key, word) {
			return true
		}
	}
	return false
}

// timed decides about a task by its times: one that has started and has no end goes on.
func (g *gather) timed(v *Verdict) bool {
	for _, key := range [...]string{"completionTime", "completionTimestamp", "finishTime", "finishTimestamp", "endTime", "endTimestamp",
		"finishedAt", "completedAt", "endedAt"} {
		if n := g.status.get(key); n.present() {
			v.answer(Current, FromHeuristic, "heuristic/ended", "Ended", text("the task has ended"))
			v.prove(atStatus, key, "", n)
			return true
		}
	}
	for _, key := range [...]string{"startTime", "startTimestamp", "startedAt", "started", "startedTime"} {
		if n := g.status.get(key); n.present() {
			v.answer(InProgress, FromHeuristic, "heuristic/started", "Started", text("the task has started, and has no time of its end"))
			v.prove(atStatus, key, "", n)
			return true
		}
	}
	return false
}

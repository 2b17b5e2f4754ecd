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
	m := message{wording: fieldIs, s1: field, s2: n.str()}
	switch {
	case s == senseBad:
		v.answer(Failed, FromHeuristic, "heuristic/text", "Told", m)
	case s == senseBusy:
		v.answer(InProgress, FromHeuristic, "heuristic/text", "Told", m)
	case g.isTask():
		return g.timed(v)
	default:
		return false
	}
	v.prove(atStatus, field, "", n)
	return true
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

// SPDX-License-Identifier: Apache-2.0

package convention

import (
	"slices"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/object"
)

// Knowledge of a kind reports which conditions and fields of the status it reads or ignores.
type Knowledge interface {
	Knows(within, conditionType, status, reason string) bool
	Reads(field, member string) bool
}

// Provisional compares an answer from a pack or a catalog with everything that its knowledge does not read: a pack is not blinder than the
// conventions alone. Current is kept only if no such condition is unhealthy, wherever in the status it is, no such field for errors has
// one, and the generation, the flags and the numbers of the status agree. InProgress, Suspended and Unknown stand only if no such condition
// reports a failure. A failure turns an answer of Current into Degraded; a weak claim stays as a contradiction. numbers reports whether the
// knowledge compares the numbers itself. It reports whether another answer took the place of the given one.
func (c *Conventions) Provisional(j *answer.Judgement, knows Knowledge, numbers bool) (overruled bool) {
	if j.Status.Kind() != object.Map {
		return false
	}
	ev := c.borrow(j)
	defer c.giveBack(ev)
	ev.known, ev.currentBy = knows, j.Answer.Reason
	if ev.currentBy == "" {
		ev.currentBy = string(j.Answer.Status)
	}
	ev.judged, ev.decidedBy = j.Answer.Status, j.Answer.Type
	switch ev.judged {
	case answer.Current:
		return doubtCurrent(j, ev, numbers)
	case answer.InProgress, answer.Suspended, answer.Unknown:
		return doubtOther(j, ev)
	}
	return false
}

// doubtCurrent is Provisional for an answer of Current.
func doubtCurrent(j *answer.Judgement, ev *evidence, numbers bool) bool {
	ev.lag()
	ev.conditions(j.Status.Get("conditions"), "")
	ev.fields()
	if ev.hasCounts && !numbers {
		ev.counts()
	}
	ev.claims[unlessOver] = claim{} // activity is not unhealthy
	b := ev.pick()
	if b == nil || b.tier < tierUnfinished || b.says == answer.Suspended && b.tier < tierHeldByNote {
		b = &ev.claims[unlessSummary]
		if b.rule != pairShort || numbers || says(&j.Subject, "Ready") || says(&j.Subject, "Available") {
			if b.tier > tierUnfinished {
				j.Answer.Contradict(ev.currentBy, b.msg)
			}
			return false
		}
	}
	ev.serving = true
	ev.soften(b)
	if b.says == answer.Failed && b.rule == errorField && !ev.isTask() {
		b.says = answer.Degraded // the object goes on serving
	}
	overrule(j, ev, b, b.says == answer.Degraded || b.says == answer.InProgress && !ev.stale)
	return true
}

// doubtOther is Provisional for any other answer: a condition counts that reports a failure, and not only that something is missing while
// the object is in progress.
func doubtOther(j *answer.Judgement, ev *evidence) bool {
	ev.progressing = j.Answer.Status != answer.Unknown // under way or off: something may be missing
	ev.collect()
	b := ev.pick()
	if b == nil || !b.says.Broken() {
		return false
	}
	ev.serving = ev.serving || says(&j.Subject, "Ready")
	if ev.soften(b); !b.says.Broken() {
		return false
	}
	overrule(j, ev, b, b.says == answer.Degraded)
	return true
}

// repeats reports whether a claim adds nothing to the answer of a pack or a catalog: a state of work under way, or, unless the answer is
// Current, a condition with the reason on which the answer rests, or one that is normal while the object is in progress.
func (ev *evidence) repeats(cl *claim) bool {
	if ev.judged == answer.Current {
		return cl.tier == tierStateBusy || cl.tier == tierUnknownState
	}
	if cl.rule == falseStrange {
		return true // the knowledge of the kind has an answer, and conventions do not know the word
	}
	return cl.c.Type != "" && cl.says.Broken() && (cl.reason == ev.currentBy && cl.c.Type != ev.decidedBy || ev.judged == answer.InProgress &&
		(ev.whileProgressing(cl) || ev.withinGrace(cl)))
}

// says reports whether a condition is True.
func says(s *answer.Subject, conditionType string) bool {
	var c object.Condition
	return s.Find(conditionType, &c) && c.Status == conditions.True
}

// overrule answers with a claim in place of a pack or a catalog, whose answer stays as a contradiction. serves reports whether the object
// can be ready by it.
func overrule(j *answer.Judgement, ev *evidence, b *claim, serves bool) {
	was := j.Answer
	j.Answer = answer.Answer{Verdict: answer.Verdict{NextLook: was.NextLook}}
	v := &j.Answer
	byRule(v, b)
	v.Ready = serves && ev.failing.Type != "Ready" && (was.Ready || was.Status != answer.Current)
	ev.prove(v, b)
	v.Contradict(ev.currentBy, b.msg)
	was.Evidence = was.Evidence[:min(1, len(was.Evidence))]
	v.ProveAgain(&was)
	collectClaims(j, ev.unhealthy)
}

// reads reports whether the knowledge of the kind reads a member of the status as a whole, of which then only the conditions count that it
// does not know.
func (ev *evidence) reads(key string) bool { return ev.known != nil && ev.known.Reads(key, "") }

// readsMember reports whether the knowledge of the kind reads a member of a map of the status.
func (ev *evidence) readsMember(a, b string) bool { return ev.known != nil && ev.known.Reads(a, b) }

// Explain completes the unhealthy answer of a pack by the conditions of the object; silent: the pack has no reason and message of its own,
// which the worst condition then gives.
func (c *Conventions) Explain(j *answer.Judgement, silent bool) {
	ev := c.borrow(j)
	defer c.giveBack(ev)
	ev.conditions(j.Status.Get("conditions"), "")
	if b := ev.pick(); silent && b != nil && b.says != answer.Current && b.Place == object.PathCondition {
		was := j.Answer
		j.Answer.Reason, j.Answer.Message = b.reason, b.msg.String()
		j.Answer.Evidence = nil
		if b.c.Type != "" {
			j.Answer.RestOn(&b.c)
		}
		ev.prove(&j.Answer, b)
		j.Answer.ProveAgain(&was)
	}
	collectClaims(j, ev.unhealthy)
}

// collectClaims collects the conditions on which claims against the object rest, except the one that the answer rests on.
func collectClaims(j *answer.Judgement, list []claim) {
	slices.SortFunc(list, rank)
	seen := map[string]bool{j.Answer.Type: true}
	for i := range list {
		if c := &list[i].c; !seen[c.Type] {
			seen[c.Type] = true
			j.Complain(c, list[i].reason, c.Sentence())
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// declared judges a kind whose conditions are declared. A summary decides; a dependent that is worse than the summary turns Current into
// Degraded, and is reported as a contradiction. Types that are not declared are ignored, unless no declared one was reported: then
// conventions may find the object unhealthy or suspended.
func (j *judgement) declared(s *Semantics) {
	rule := s.Rule
	if rule == "" {
		rule = "catalog"
	}
	seen, ok := j.status.getNum("observedGeneration")
	lags := ok && j.generation >= 0 && seen != j.generation
	d := j.reportedBy(s, lags)
	summary, worst := &d.summary, &d.worst
	if lags && (impossibleGeneration(seen, j.generation) || !d.failsNow()) {
		j.behind(FromCatalog, rule, seen)
		return
	}
	if seen, ok := summary.ObservedGeneration(); ok && summary.Type != "" && impossibleGeneration(seen, j.generation) {
		j.concludeImpossible(impossible, "ImpossibleGeneration", message{format: conditionOld, s1: summary.Type, n1: seen, n2: j.generation})
		j.v.restOn(&summary.Condition)
		j.proveDeclared(s.Path, summary)
		return
	}
	if summary.Type == "" && worst.Type == "" {
		// Other fields count where they report that the object is unhealthy or that no controller works on it.
		if j.conventions(); j.v.Status.Broken() || j.v.Status == Suspended || j.v.rule == impossible {
			return
		}
		j.v, j.others = Verdict{}, nil
		j.v.answer(InProgress, FromCatalog, rule, "NoConditions", text("no declared condition was reported yet"))
		if s.Path == "" {
			j.proveStatus("conditions")
		}
		return
	}
	decider := summary
	if summary.Type == "" {
		decider = worst
		if worst.class == conditions.ClassOK && s.needsSummary() {
			j.v.answer(InProgress, FromCatalog, rule, "NoSummary", text("the summary condition was not reported yet"))
			return
		}
	}
	if decider == summary && worst.counts() && summary.class != conditions.ClassOK && summary.class != conditions.ClassSuspended &&
		rankOf(worst.class) > rankOf(summary.class) {
		summary.class = worst.class // a summary is as bad as the worst condition that it sums up
	}
	status := statusOf(decider.class)
	j.serving = decider.class == conditions.ClassOK
	if j.serving && decider == summary && worst.Type != "" && rankOf(worst.class) > rankOf(conditions.ClassOK) {
		decider = worst
		switch worst.class {
		case conditions.ClassTerminal, conditions.ClassTransient:
			status = Degraded
			j.v.contradict(summary.Type, worst.text())
		default:
			status = statusOf(worst.class)
		}
	}
	if d.silent.present() && (status == Current || status == Degraded) { // an element without conditions may be in any state
		j.v.ncontra = 0
		j.v.answer(InProgress, FromCatalog, rule, "NoConditions", text("conditions were not reported yet").of(d.silent))
		return
	}
	if d.explains(decider) {
		decider = worst
	}
	j.v.answer(status, FromCatalog, rule, decider.Reason(), decider.sentence(status))
	j.v.restOnDeclared(decider)
	if decider == summary && j.v.Remedy == "" && worst.Type != "" {
		j.v.Remedy = worst.remedy()
	}
	if d.stale && status == InProgress && decider == summary {
		j.v.Reason = "GenerationNotObserved"
		j.v.message = message{format: conditionOld, s1: decider.Type, n1: decider.n.get("observedGeneration").numOr(0),
			n2: j.generation}.of(decider.in)
	}
	j.v.Ready = j.serving && status != Suspended
	j.proveDeclared(s.Path, decider)
	if decider != summary && summary.Type != "" {
		j.proveDeclared(s.Path, summary)
		if j.v.since == "" {
			j.v.since = summary.n.getStr("lastTransitionTime")
		}
	}
	j.collectDeclared(&d)
}

// explains reports whether the worst dependent is the cause of the summary: it is at least as bad or has its reason, and of two with one
// status it has a message if the summary has one.
func (d *reported) explains(decider *declared) bool {
	s, w := &d.summary, &d.worst
	switch {
	case decider != s, d.stale, w.Type == "", w.class == conditions.ClassOK, s.class == conditions.ClassOK,
		s.class == conditions.ClassSuspended:
		return false
	case w.Message() == "" && s.Message() != "" && w.Status == s.Status:
		return false
	}
	return rankOf(w.class) >= rankOf(s.class) || w.Reason() == s.Reason()
}

// counts reports whether the class of an unhealthy dependent is more than a guess from its words: its cell is declared, or it has a
// severity.
func (d *declared) counts() bool {
	return d.Type != "" && (d.cell != nil || d.Condition.Severity() != "")
}

// sentence returns the message of the condition; of an unhealthy one with the element of the list that has it.
func (d *declared) sentence(status Status) message {
	if status == Current {
		return d.text()
	}
	return d.text().of(d.in)
}

// of puts the name of the element of a list before a message about it.
func (m message) of(element Object) message {
	name := elementName(element)
	if name == "" {
		return m
	}
	return message{format: listed, s1: name, s2: m.String()}
}

func (s *Semantics) needsSummary() bool {
	for _, t := range s.Types {
		if t.Role == conditions.RoleSummary && t.Always {
			return true
		}
	}
	return false
}

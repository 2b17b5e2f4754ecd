// SPDX-License-Identifier: Apache-2.0

package verdict

import "github.com/tristate/tristate/conditions"

// catalog judges a kind whose conditions are declared. A summary decides; a dependent that is worse than the summary
// claims turns Current into Degraded, and is reported as a contradiction. A type that is not declared is not looked at, unless no
// declared one was reported at all: then conventions may find the object broken or suspended.
func (j *judge) catalog(s *Semantics) {
	j.declared(s)
	j.provisional(s, false)
}

func (j *judge) declared(s *Semantics) {
	rule := s.Rule
	if rule == "" {
		rule = "catalog"
	}
	observed := j.status.get("observedGeneration")
	seen, ok := observed.num()
	lags := ok && j.generation >= 0 && seen != j.generation
	d := j.reportedBy(s, lags)
	summary, worst := &d.summary, &d.worst
	if impossible := lags && impossibleGeneration(seen, j.generation); impossible || lags && !d.failsNow() {
		j.behind(rule, impossible, message{wording: generations, n1: j.generation, n2: seen})
		j.prove(atStatus, "observedGeneration", "", observed)
		j.prove(atPath, ".metadata.generation", "", j.meta.get("generation"))
		return
	}
	if seen, ok := summary.observed(); ok && summary.typ != "" && impossibleGeneration(seen, j.generation) {
		j.nonsense(impossible, "ImpossibleGeneration", message{wording: conditionOld, s1: summary.typ, n1: seen, n2: j.generation})
		j.v.byCond(&summary.cond)
		j.proveDeclared(s.Path, summary)
		return
	}
	if summary.typ == "" && worst.typ == "" {
		// What the object says in other ways counts where it says that it is broken, or that nobody looks at it.
		if j.conventions(); j.v.Status.Broken() || j.v.Status == Suspended || j.v.rule == impossible {
			return
		}
		j.v, j.others = Verdict{}, nil
		j.answer(InProgress, FromCatalog, rule, "NoConditions", text("no declared condition was reported yet"))
		if s.Path == "" {
			j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
		}
		return
	}
	decider := summary
	if summary.typ == "" {
		decider = worst
		if worst.class == conditions.ClassOK && s.needsSummary() {
			j.answer(InProgress, FromCatalog, rule, "NoSummary", text("the summary condition was not reported yet"))
			return
		}
	}
	if decider == summary && worst.counts() && summary.class != conditions.ClassOK && summary.class != conditions.ClassSuspended && rankOf(worst.class) > rankOf(summary.class) {
		summary.class = worst.class // what is folded is as bad as the worst of it
	}
	status := statusOf(decider.class)
	j.serving = decider.class == conditions.ClassOK
	if j.serving && decider == summary && worst.typ != "" && rankOf(worst.class) > rankOf(conditions.ClassOK) {
		decider = worst
		switch worst.class {
		case conditions.ClassTerminal, conditions.ClassTransient:
			status = Degraded
			j.v.contradict(summary.typ, worst.text())
		default:
			status = statusOf(worst.class)
		}
	}
	if d.silent.present() && (status == Current || status == Degraded) { // what one element does not say may be anything
		j.v.ncontra = 0
		j.answer(InProgress, FromCatalog, rule, "NoConditions", d.silentText())
		return
	}
	if d.explains(decider) {
		decider = worst
	}
	j.answer(status, FromCatalog, rule, decider.reason(), decider.sentence(status))
	j.v.by(decider)
	if decider == summary && j.v.Remedy == "" && worst.typ != "" {
		j.v.Remedy = worst.remedy()
	}
	if d.stale && status == InProgress && decider == summary {
		j.v.Reason = "GenerationNotObserved"
		j.v.message = message{wording: conditionOld, s1: decider.typ, n1: decider.n.get("observedGeneration").numOr(0), n2: j.generation}.of(decider.in)
	}
	j.v.Ready = j.serving && status != Suspended
	j.proveDeclared(s.Path, decider)
	if decider != summary && summary.typ != "" {
		j.proveDeclared(s.Path, summary)
		if j.v.since == "" {
			j.v.since = summary.n.getStr("lastTransitionTime")
		}
	}
	j.collectDeclared(&d)
}

// behind is the answer for a status about another generation.
func (j *judge) behind(rule string, cannotBe bool, m message) {
	if cannotBe {
		j.nonsense(impossible, "ImpossibleGeneration", m)
	} else {
		j.answer(InProgress, FromCatalog, rule, "GenerationNotObserved", m)
	}
}

// explains reports whether the worst dependent says why a summary is as it is: it is at least as bad or has its reason, and of two with one status it has
// a message where the summary has one.
func (d *reported) explains(decider *declared) bool {
	s, w := &d.summary, &d.worst
	switch {
	case decider != s, d.stale, w.typ == "", w.class == conditions.ClassOK, s.class == conditions.ClassOK, s.class == conditions.ClassSuspended:
		return false
	case w.message() == "" && s.message() != "" && w.status == s.status:
		return false
	}
	return rankOf(w.class) >= rankOf(s.class) || w.reason() == s.reason()
}

// counts reports whether the class of a bad dependent is more than a guess by its words: its cell is declared, or its author rates it.
func (d *declared) counts() bool {
	return d.typ != "" && (d.cell != nil || d.cond.severity() != "")
}

// sentence is the message of the condition, with the element that it is about where it is bad.
func (d *declared) sentence(status Status) message {
	if status == Current {
		return d.text()
	}
	return d.text().of(d.in)
}

// of puts the name of the element of a list before a message about it.
func (m message) of(element node) message {
	name := elementName(element)
	if name == "" {
		return m
	}
	return message{wording: listed, s1: name, s2: m.String()}
}

func (s *Semantics) needsSummary() bool {
	for _, t := range s.Types {
		if t.Role == conditions.RoleSummary && t.Always {
			return true
		}
	}
	return false
}

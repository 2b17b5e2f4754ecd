// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
	"github.com/tristate/tristate/verdict/internal/convention"
	"github.com/tristate/tristate/verdict/internal/object"
)

// declared judges a kind whose conditions are declared. A summary decides; a dependent that is worse than the summary turns Current into
// Degraded, and is reported as a contradiction. Types that are not declared are ignored, unless no declared one was reported: then
// conventions may find the object unhealthy or suspended.
func (j *judgement) declared(s *Semantics) {
	rule := s.Rule
	if rule == "" {
		rule = "catalog"
	}
	seen, ok := j.Status.NumberAt("observedGeneration")
	lags := ok && j.Generation >= 0 && seen != j.Generation
	d := j.reportedBy(s, lags)
	summary, worst := &d.summary, &d.worst
	if lags && (convention.ImpossibleGeneration(seen, j.Generation) || !d.failsNow()) {
		j.Conventions.Behind(&j.Judgement, rule, seen)
		return
	}
	if seen, ok := summary.ObservedGeneration(); ok && summary.Type != "" && convention.ImpossibleGeneration(seen, j.Generation) {
		j.Conventions.Impossible(&j.Judgement, "ImpossibleGeneration", object.ConditionOld.Count(summary.Type, seen, j.Generation))
		j.Answer.RestOn(&summary.Condition)
		j.proveDeclared(s.Path, summary)
		return
	}
	if summary.Type == "" && worst.Type == "" {
		// Other fields count where they report that the object is unhealthy or that no controller works on it.
		j.Conventions.Judge(&j.Judgement)
		if j.Answer.Status.Broken() || j.Answer.Status == answer.Suspended || convention.FoundImpossible(&j.Answer) {
			return
		}
		j.Answer = answer.Answer{}
		if ok && !lags && s.HealthyWithout() {
			j.Answer.Set(answer.Current, rule, "", object.Message{})
			j.Answer.Ready = true
			j.ProveStatus("observedGeneration")
			return
		}
		j.Answer.Set(answer.InProgress, rule, "NoConditions", object.Text("no declared condition was reported yet"))
		if s.Path == "" {
			j.ProveStatus("conditions")
		}
		return
	}
	decider := summary
	if summary.Type == "" {
		decider = worst
		if worst.class == conditions.ClassOK && s.needsSummary() {
			j.Answer.Set(answer.InProgress, rule, "NoSummary", object.Text("the summary condition was not reported yet"))
			return
		}
	}
	if decider == summary && worst.counts() && summary.class != conditions.ClassOK && summary.class != conditions.ClassSuspended &&
		rankOf(worst.class) > rankOf(summary.class) {
		summary.class = worst.class // a summary is as bad as the worst condition that it sums up
	}
	status := statusOf(decider.class)
	j.Serving = decider.class == conditions.ClassOK
	if j.Serving && decider == summary && worst.Type != "" && rankOf(worst.class) > rankOf(conditions.ClassOK) {
		decider = worst
		switch worst.class {
		case conditions.ClassTerminal, conditions.ClassTransient:
			status = answer.Degraded
			j.Answer.Contradict(summary.Type, worst.Sentence())
		default:
			status = statusOf(worst.class)
		}
	}
	if d.silent.Present() && (status == answer.Current || status == answer.Degraded) { // an element without conditions may be in any state
		j.Answer.Contradictions = nil
		j.Answer.Set(answer.InProgress, rule, "NoConditions", object.Text("conditions were not reported yet").In(elementName(d.silent)))
		return
	}
	if d.explains(decider) {
		decider = worst
	}
	j.Answer.Set(status, rule, decider.Reason(), decider.sentence(status))
	decider.support(&j.Answer)
	if decider == summary && j.Answer.Remedy == "" && worst.Type != "" {
		j.Answer.Remedy = worst.remedy()
	}
	if d.stale && status == answer.InProgress && decider == summary {
		j.Answer.Reason = "GenerationNotObserved"
		m := object.ConditionOld.Count(decider.Type, decider.N.Get("observedGeneration").NumberOr(0), j.Generation)
		j.Answer.Message = m.In(elementName(decider.in)).String()
	}
	j.Answer.Ready = j.Serving && status != answer.Suspended
	j.proveDeclared(s.Path, decider)
	if decider != summary && summary.Type != "" {
		j.proveDeclared(s.Path, summary)
		if j.Answer.Since.IsZero() {
			j.Answer.Since = summary.LastTransition()
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
func (d *declared) sentence(status answer.Status) object.Message {
	if status == answer.Current {
		return d.Sentence()
	}
	return d.Sentence().In(elementName(d.in))
}

// HealthyWithout reports whether an object without any condition is healthy once its generation was observed: every declared condition is
// bad when True and may be absent.
func (s *Semantics) HealthyWithout() bool {
	for _, t := range s.Types {
		if t.Role != conditions.RoleInformational && (t.Always || t.Polarity != conditions.Negative) {
			return false
		}
	}
	return len(s.Types) > 0 && s.Path == ""
}

func (s *Semantics) needsSummary() bool {
	for _, t := range s.Types {
		if t.Role == conditions.RoleSummary && t.Always {
			return true
		}
	}
	return false
}

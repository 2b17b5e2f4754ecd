// SPDX-License-Identifier: Apache-2.0

package verdict

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
	if n := j.status.get("observedGeneration"); j.generation >= 0 {
		if seen, ok := n.num(); ok && seen != j.generation {
			j.answer(InProgress, FromCatalog, rule, "GenerationNotObserved", message{wording: generations, n1: j.generation, n2: seen})
			j.prove(atStatus, "observedGeneration", "", n)
			j.prove(atPath, ".metadata.generation", "", j.meta.get("generation"))
			return
		}
	}
	d := reported{s: s, words: j.words, generation: j.generation}
	if s.Path == "" {
		d.list(j.status.get("conditions"), node{})
	} else {
		d.walk(j.obj, s.Path, node{})
	}
	summary, worst, sc, wc := &d.summary, &d.worst, d.sc, d.wc
	if summary.typ == "" && worst.typ == "" {
		// What the object says in other ways counts where it says that it is broken, or that nobody looks at it.
		if j.conventions(); j.v.Status.Broken() || j.v.Status == Suspended {
			return
		}
		j.v = Verdict{}
		j.answer(InProgress, FromCatalog, rule, "NoConditions", text("no declared condition was reported yet"))
		if s.Path == "" {
			j.prove(atPath, ".status.conditions", "", j.status.get("conditions"))
		}
		return
	}
	decider, class := summary, sc
	if summary.typ == "" {
		decider, class = worst, wc
		if class == ClassOK && s.needsSummary() {
			j.answer(InProgress, FromCatalog, rule, "NoSummary", text("the summary condition was not reported yet"))
			return
		}
	}
	status := class.status()
	j.serving = class == ClassOK
	if summary.typ != "" && sc == ClassOK && worst.typ != "" && wc.rank() > sc.rank() {
		decider, class = worst, wc
		switch wc {
		case ClassTerminal, ClassTransient:
			status = Degraded
			j.v.contradict(summary.typ, worst.text())
		default:
			status = wc.status()
		}
	}
	reason := decider.reason()
	if reason == "" {
		reason = decider.typ
	}
	msg := decider.text()
	if d.stale && status == InProgress {
		reason = "GenerationNotObserved"
		msg = message{wording: conditionOld, s1: decider.typ, n1: decider.n.get("observedGeneration").numOr(0), n2: j.generation}
	}
	in := d.summaryIn
	if decider == worst {
		in = d.worstIn
	}
	if d.silent.present() && (status == Current || status == Degraded) { // what one element does not say may be anything
		j.answer(InProgress, FromCatalog, rule, "NoConditions", d.silentText())
		return
	}
	if name := elementName(in); name != "" && status != Current {
		msg = message{wording: listed, s1: name, s2: msg.String()}
	}
	j.answer(status, FromCatalog, rule, reason, msg)
	j.v.Ready = j.serving && status != Suspended
	j.proveDeclared(s.Path, decider)
	j.v.since = decider.n.getStr("lastTransitionTime")
	if decider != summary && summary.typ != "" {
		j.proveDeclared(s.Path, summary)
	}
}

func (s *Semantics) needsSummary() bool {
	for _, t := range s.Types {
		if t.Role == RoleSummary && t.Always {
			return true
		}
	}
	return false
}

// rank orders classes, worst last.
func (c Class) rank() int {
	switch c {
	case ClassSuspended:
		return 1
	case ClassProgress:
		return 2
	case ClassTransient:
		return 3
	case ClassTerminal:
		return 4
	}
	return 0
}

// status is the verdict that a class gives by itself. A failure that is tried again is under way.
func (c Class) status() Status {
	switch c {
	case ClassSuspended:
		return Suspended
	case ClassProgress, ClassTransient:
		return InProgress
	case ClassTerminal:
		return Failed
	}
	return Current
}

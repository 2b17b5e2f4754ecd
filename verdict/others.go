// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/verdict/internal/answer"
)

// remedies adds the remedies of the pack of the kind, where no declared condition has one.
func (j *judgement) remedies() {
	if j.e.Packs == nil || j.Answer.Status == answer.Current || j.Answer.Status == answer.Terminating {
		return // which costs most objects nothing
	}
	p := j.e.Packs(j.Group, j.Version, j.Kind)
	if p == nil {
		return
	}
	of := func(reason string) string { return strings.ReplaceAll(p.Remedy(reason), "NAME", j.Meta.TextAt("name")) }
	if j.Answer.Remedy == "" {
		j.Answer.Remedy = of(j.Answer.Reason)
	}
	for i := range j.Answer.Others {
		if o := &j.Answer.Others[i]; o.Remedy == "" {
			o.Remedy = of(o.Reason)
		}
	}
}

// support makes a declared condition the one that an answer rests on.
func (d *declared) support(v *answer.Answer) {
	v.Type, v.Condition = d.name(), d.Status
	v.Severity, v.Remedy, v.Own = d.Severity(), d.remedy(), d.t.Own
	v.Since = d.LastTransition()
}

// collectDeclared collects the unhealthy conditions of a declaration except the one that the verdict rests on.
func (j *judgement) collectDeclared(d *reported) {
	slices.SortFunc(d.all, func(a, b declared) int {
		if a.worse(&b) {
			return -1
		}
		return 1
	})
	for i := range d.all {
		one := &d.all[i]
		if m := one.Sentence().In(elementName(one.in)); one.name() != j.Answer.Type || m.String() != j.Answer.Message {
			c := j.Complain(&one.Condition, one.Reason(), m)
			c.Type, c.Severity, c.Remedy = one.name(), one.Severity(), one.remedy()
		}
	}
}

// explainPack completes the unhealthy verdict of a pack with the declared severity and remedy of the condition that it rests on. A pack
// without reason and message of its own leaves them to the worst condition.
func (j *judgement) explainPack() {
	silent := j.Answer.Type == "" && j.Answer.Reason == string(j.Answer.Status) && j.Answer.Message == ""
	if j.Answer.Status == answer.Current {
		return
	}
	s := j.semantics()
	if s == nil {
		j.Conventions.Explain(&j.Judgement, silent)
		return
	}
	d := j.reportedBy(s, false)
	if worst := &d.worst; silent && worst.Type != "" && worst.class != conditions.ClassOK {
		j.replaceBy(s, worst, worst.sentence(j.Answer.Status))
	} else if t := s.Types[j.Answer.Type]; t != nil {
		cell := t.Cells[Cell{string(j.Answer.Condition), j.Answer.Reason}]
		if cell == nil {
			cell = t.Cells[Cell{string(j.Answer.Condition), ""}]
		}
		j.Answer.Type, j.Answer.Own = cmp.Or(t.Name, j.Answer.Type), t.Own
		if cell != nil {
			j.Answer.Reason, j.Answer.Remedy = cmp.Or(cell.Name, j.Answer.Reason), cell.Remedy
			if j.Answer.Severity == "" && cell.Class != conditions.ClassProgress {
				j.Answer.Severity = cell.Severity
			}
		}
	}
	j.collectDeclared(&d)
}

// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// An Assessment is a verdict with the other unhealthy conditions of the object.
type Assessment struct {
	Verdict
	// Others are sorted by severity, the worst first. There are none with a verdict of Current, Suspended or Terminating: Contradictions has
	// what speaks against those.
	Others []Complaint
}

// A Complaint is an unhealthy condition, with what a person can do about it if that is declared.
type Complaint struct {
	conditions.Condition
	Remedy string
}

// Assess is [Engine.Judge] with all unhealthy conditions. For a healthy object it allocates no more than Judge.
func (e *Engine) Assess(object map[string]any, now time.Time) Assessment {
	if object == nil {
		return Assessment{Verdict: e.Judge(object, now)}
	}
	j := judgement{wantOthers: true}
	j.run(e, now, Object{object})
	switch j.v.Status {
	case Current, Suspended, Terminating:
		j.others = nil
	}
	return Assessment{j.v, j.others}
}

// remedies adds the remedies of the pack of the kind, where no declared condition has one.
func (j *judgement) remedies() {
	if j.e.Packs == nil || j.v.Status == Current || j.v.Status == Terminating {
		return // which costs most objects nothing
	}
	p := j.e.Packs(j.group, j.version, j.kind)
	if p == nil {
		return
	}
	of := func(reason string) string { return strings.ReplaceAll(p.Remedy(reason), "NAME", j.meta.getStr("name")) }
	if j.v.Remedy == "" {
		j.v.Remedy = of(j.v.Reason)
	}
	for i := range j.others {
		if o := &j.others[i]; o.Remedy == "" {
			o.Remedy = of(o.Reason)
		}
	}
}

// restOn makes a condition the one that a verdict rests on.
func (v *Verdict) restOn(c *Condition) {
	v.Type, v.Condition, v.Severity = c.Type, c.Status, c.Severity()
}

// restOnDeclared makes a declared condition the one that a verdict rests on.
func (v *Verdict) restOnDeclared(d *declared) {
	v.Type, v.Condition = d.name(), d.Status
	v.Severity, v.Remedy, v.Own = d.Severity(), d.remedy(), d.t.Own
	v.since = d.n.getStr("lastTransitionTime")
}

// complaint returns an unhealthy condition.
func (c *Condition) complaint(reason string, m message) Complaint {
	out := Complaint{Condition: conditions.Condition{Severity: c.Severity()}}
	out.Type, out.Status, out.Reason, out.Message = c.Type, c.Status, reason, m.String()
	out.ObservedGeneration, _ = c.ObservedGeneration()
	out.LastTransitionTime.Time = timeOf(c.n.getStr("lastTransitionTime"))
	return out
}

// collectDeclared collects the unhealthy conditions of a declaration except the one that the verdict rests on.
func (j *judgement) collectDeclared(d *reported) {
	if !j.wantOthers {
		return
	}
	slices.SortFunc(d.all, func(a, b declared) int {
		if a.worse(&b) {
			return -1
		}
		return 1
	})
	for i := range d.all {
		one := &d.all[i]
		c := one.complaint(one.Reason(), one.text().of(one.in))
		c.Type, c.Severity, c.Remedy = one.name(), one.Severity(), one.remedy()
		if c.Type != j.v.Type || c.Message != j.v.Message() {
			j.others = append(j.others, c)
		}
	}
}

// collectClaims collects the conditions on which claims against the object rest, except the one that the verdict rests on.
func (j *judgement) collectClaims(list []claim) {
	if !j.wantOthers {
		return
	}
	slices.SortFunc(list, rank)
	seen := map[string]bool{j.v.Type: true}
	for i := range list {
		if c := &list[i].c; !seen[c.Type] {
			seen[c.Type] = true
			j.others = append(j.others, c.complaint(list[i].reason, c.text()))
		}
	}
}

// explainPack completes the unhealthy verdict of a pack with the declared severity and remedy of the condition that it rests on. A pack
// without reason and message of its own leaves them to the worst condition.
func (j *judgement) explainPack() {
	silent := j.v.Type == "" && j.v.Reason == string(j.v.Status) && j.v.message == message{}
	if j.v.Status == Current || j.v.Type == "" && !silent && !j.wantOthers {
		return
	}
	s := j.semantics()
	if s == nil {
		j.explainByConventions(silent)
		return
	}
	d := j.reportedBy(s, false)
	if worst := &d.worst; silent && worst.Type != "" && worst.class != conditions.ClassOK {
		j.replaceBy(s, worst, worst.sentence(j.v.Status))
	} else if t := s.Types[j.v.Type]; t != nil {
		cell := t.Cells[Cell{string(j.v.Condition), j.v.Reason}]
		if cell == nil {
			cell = t.Cells[Cell{string(j.v.Condition), ""}]
		}
		j.v.Type, j.v.Own = cmp.Or(t.Name, j.v.Type), t.Own
		if cell != nil {
			j.v.Reason, j.v.Remedy = cmp.Or(cell.Name, j.v.Reason), cell.Remedy
			if j.v.Severity == "" && cell.Class != conditions.ClassProgress {
				j.v.Severity = cell.Severity
			}
		}
	}
	j.collectDeclared(&d)
}

// explainByConventions is explainPack for a kind without declared conditions.
func (j *judgement) explainByConventions(silent bool) {
	ev := j.e.borrow(j)
	defer j.e.giveBack(ev)
	ev.conditions(j.status.get("conditions"), "")
	if b := ev.pick(); silent && b != nil && b.says != Current && b.at == atCondition {
		was := j.v
		j.v.Reason, j.v.message, j.v.nfacts = b.reason, b.msg, 0
		if b.c.Type != "" {
			j.v.restOn(&b.c)
		}
		ev.prove(&j.v, b)
		j.v.proveAgain(&was)
	}
	j.collectClaims(ev.unhealthy)
}

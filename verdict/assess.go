// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/conditions"
)

// An Assessment is a verdict with the other conditions of the object that are bad.
type Assessment struct {
	Verdict
	// Others are in the order of what they mean, the worst first. There are none beside a verdict of Current, Suspended or Terminating: what
	// speaks against that is in Contradictions.
	Others []Complaint
}

// A Complaint is a condition that is bad.
type Complaint struct {
	Type     string
	Status   conditions.Status
	Reason   string
	Severity conditions.Severity
	Message  string
	Since    time.Time // zero where the condition does not say it
	Remedy   string    // what to do about it, where it is declared
}

// Assess is [Engine.Judge] with all conditions that are bad. Of an object that is well it allocates as little.
func (e *Engine) Assess(object map[string]any, now time.Time) Assessment {
	if e.Mode == EngineKstatus || object == nil {
		return Assessment{Verdict: e.Judge(object, now)}
	}
	j := judge{collect: true}
	j.run(e, now, node{v: object})
	switch j.v.Status {
	case Current, Suspended, Terminating:
		j.others = nil
	}
	return Assessment{j.v, j.others}
}

// remedies adds what the pack of the kind knows to do, where no declared condition says it.
func (j *judge) remedies() {
	if j.e.Packs == nil || j.v.Status == Current || j.v.Status == Terminating {
		return // of most objects, which cost nothing
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

// by makes a declared condition the one that a verdict rests on.
func (v *Verdict) by(d *declared) {
	v.Type, v.Condition = d.name(), conditions.Status(d.status)
	v.Severity, v.Remedy, v.Own = d.severity(), d.remedy(), d.t.Own
	v.since = d.n.getStr("lastTransitionTime")
}

// byClaim makes the condition of a claim the one that a verdict rests on, where it stands in the list of the object.
func (v *Verdict) byClaim(cl *claim) {
	if cl.c.typ != "" && cl.at == atCondition {
		v.byCond(&cl.c)
	}
}

// byCond makes a condition the one that a verdict rests on.
func (v *Verdict) byCond(c *cond) {
	v.Type, v.Condition, v.Severity = c.typ, conditions.Status(c.status), conditions.Severity(c.severity())
}

// complaint is what a declared condition says.
func (d *declared) complaint() Complaint {
	return Complaint{Type: d.name(), Status: conditions.Status(d.status), Reason: d.reason(), Severity: d.severity(), Remedy: d.remedy(),
		Message: d.text().of(d.in).String(), Since: timeOf(d.n.getStr("lastTransitionTime"))}
}

// complaint is what a condition says on which a claim of the conventions rests.
func (cl *claim) complaint() Complaint {
	return Complaint{Type: cl.c.typ, Status: conditions.Status(cl.c.status), Reason: cl.reason, Severity: conditions.Severity(cl.c.severity()),
		Message: cl.c.text().String(), Since: timeOf(cl.c.n.getStr("lastTransitionTime"))}
}

// collectDeclared collects the bad conditions of a declaration beside the one that the verdict rests on.
func (j *judge) collectDeclared(d *reported) {
	if !j.collect {
		return
	}
	slices.SortFunc(d.all, func(a, b declared) int {
		if a.worse(&b) {
			return -1
		}
		return 1
	})
	for i := range d.all {
		if one := d.all[i].complaint(); one.Type != j.v.Type || one.Message != j.v.Message() {
			j.others = append(j.others, one)
		}
	}
}

// collectClaims collects the conditions on which claims against the object rest, beside the one that the verdict rests on.
func (j *judge) collectClaims(list []claim) {
	if !j.collect {
		return
	}
	slices.SortFunc(list, func(a, b claim) int {
		switch {
		case a.outranks(&b):
			return -1
		case b.outranks(&a):
			return 1
		}
		return 0
	})
	seen := map[string]bool{j.v.Type: true}
	for i := range list {
		if c := &list[i]; !seen[c.c.typ] {
			seen[c.c.typ] = true
			j.others = append(j.others, c.complaint())
		}
	}
}

// explainPack completes a bad verdict of a pack by what is known of the condition that it rests on: severity and remedy, where they are declared. A pack
// that has no words of its own leaves them to the condition that is worst.
func (j *judge) explainPack() {
	silent := j.v.Type == "" && j.v.Reason == string(j.v.Status) && j.v.message == message{}
	if j.v.Status == Current || j.v.Type == "" && !silent && !j.collect {
		return
	}
	var s *Semantics
	if j.e.Semantics != nil {
		s = j.e.Semantics(j.group, j.version, j.kind)
	}
	if s == nil {
		j.explainByConventions(silent)
		return
	}
	d := j.reportedBy(s, false)
	if worst := &d.worst; silent && worst.typ != "" && worst.class != conditions.ClassOK {
		was := j.v
		j.v.Reason, j.v.message, j.v.nfacts = worst.reason(), worst.sentence(j.v.Status), 0
		j.v.by(worst)
		j.proveDeclared(s.Path, worst)
		j.v.proveAgain(&was)
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

// explainByConventions is explainPack for a kind of which no conditions are declared.
func (j *judge) explainByConventions(silent bool) {
	g := j.e.borrow(j)
	defer j.e.giveBack(g)
	g.conditions(j.status.get("conditions"), "")
	if b := g.pick(); silent && b != nil && b.status != Current && b.at == atCondition {
		was := j.v
		j.v.Reason, j.v.message, j.v.nfacts = b.reason, b.msg, 0
		j.v.byClaim(b)
		g.proof(&j.v, b)
		j.v.proveAgain(&was)
	}
	j.collectClaims(g.bad)
}

// proveAgain adds the facts of another verdict behind those that are there.
func (v *Verdict) proveAgain(was *Verdict) {
	for i := range was.nfacts {
		f := &was.facts[i]
		v.prove(f.at, f.a, f.b, node{v: f.value})
	}
}

func timeOf(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

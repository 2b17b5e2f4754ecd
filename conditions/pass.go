// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"errors"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pass is one reconcile's collection of facts about one object, ended by one [Pass.Commit]. It is not for concurrent use.
//
// A Pass is a handle: copies of it are the same pass. Its facts belong to this pass alone and are never used again by another
// one. After Commit every method of every copy does nothing but note the misuse, for the errors of a further Commit. A zero or nil
// Pass does nothing.
//
//	Begin ── Report, ReportCondition, Remove (any order, any number) ── Commit
//	  │                                                                    │
//	  captures generation, stored list, clock                              compares with the stored list, stamps once
type Pass struct{ r *record }

// Begin opens a pass: it captures the generation being reconciled, the stored list (which it reads and never changes,
// and which must stay unchanged until Commit) and one clock reading, cut to whole seconds. A negative generation counts as 0:
// the API server accepts none. The pass of a nil Kind changes nothing, and its result has an error that says so.
func (k *Kind) Begin(generation int64, stored []Condition, now time.Time) *Pass {
	r := new(record) // inlined into the caller, where neither need be allocated
	r.begin(k, generation, stored, now)
	return &Pass{r}
}

// BeginMeta is [Kind.Begin] over the conditions of a typed object.
func (k *Kind) BeginMeta(generation int64, stored []metav1.Condition, now time.Time) *Pass {
	r := new(record)
	r.begin(k, generation, nil, now)
	r.meta = stored
	return &Pass{r}
}

// Object is the part of a typed object that the pass of a generated package reads.
type Object interface {
	GetGeneration() int64
	GetConditions() []metav1.Condition
}

// ObjectWithWaits is an [Object] of a kind with StatusWaits.
type ObjectWithWaits interface {
	Object
	GetWaits() []Wait // as they are stored in status.waits
}

// Memory is the storage of a pass, for generated code: as a variable of the function that the pass is returned to, it
// needs no allocation. One Memory is for one pass; a second one, and that of a nil Memory, is allocated.
type Memory struct{ r record }

// BeginMeta is [Kind.BeginMeta], and keeps the pass in m.
func (m *Memory) BeginMeta(k *Kind, generation int64, stored []metav1.Condition, now time.Time) Pass {
	if m == nil || m.r.kind != nil {
		m = new(Memory)
	}
	m.r.begin(k, generation, nil, now)
	m.r.meta = stored
	return Pass{&m.r}
}

// takes reports whether the pass still accepts facts.
func (p *Pass) takes() bool { return p != nil && p.r != nil && !p.r.done.Load() }

// open returns the record if the pass is not committed, or nil.
func (p *Pass) open(call, conditionType string) *record {
	switch {
	case p.takes():
		return p.r
	case p != nil && p.r != nil:
		p.r.misused(call, conditionType)
	}
	return nil
}

// Report reports a fact about a type. Several may be reported to one type: the reason declared first wins, and the
// message names them all. A (type, status, reason) that is not declared is replaced: by the last reason declared for
// the status, otherwise by an Unknown one; Result.Errors names it. Where a type declares no reasons any valid one is
// accepted. A report to a type that the kind does not declare, or that is Foreign, is an error and nothing else.
func (p *Pass) Report(conditionType string, s Status, reason, message string) {
	if p != nil { // inlined into the caller
		p.r.report(conditionType, s, reason, message)
	}
}

// ReportCell is [Pass.Report] for a cell that is carried as a value: STATUS/REASON, as generated code has it in typed constants; the empty
// one reports nothing. The message is [Reason.Text] of the text.
func (p *Pass) ReportCell(conditionType, cell, text string) {
	status, reason, _ := strings.Cut(cell, "/")
	r := p.open("ReportCell", conditionType)
	if r == nil || cell == "" {
		return
	}
	if i := r.kind.find(conditionType, r.hint); i >= 0 {
		if at := r.kind.Types[i].reason(reason, Status(status)); at >= 0 {
			text = r.kind.Types[i].Reasons[at].Text(text)
		}
	}
	r.report(conditionType, Status(status), reason, text)
}

// ReportCondition reports a condition that was derived (a mirror, an aggregate, a rule), with its causes.
// [Result.Causes] returns them for the type. Reasons of another vocabulary are accepted if Type.Imported allows it,
// and the severity is kept. The time of the condition counts for dwell; its generation is ignored.
func (p *Pass) ReportCondition(c Condition, causes ...Cause) {
	r := p.open("ReportCondition", c.Type)
	if r == nil {
		return
	}
	if i := r.reportDerived(&c); i >= 0 && len(causes) > 0 {
		r.addCauses(i, causes)
	}
}

// Repeat reports the stored conditions once more: they hold for the generation of this pass, too, as of work that is over and that no edit
// changes. A type with another report has both.
func (p *Pass) Repeat() {
	r := p.open("Repeat", "")
	if r == nil {
		return
	}
	for _, c := range r.list() {
		if r.kind.OwnedType(c.Type) != "" && r.kind.find(c.Type, 0) >= 0 {
			r.reportDerived(&c)
		}
	}
}

// Remove reports that a derived type has no result in this pass: it is removed from the list. A report to the same type
// outweighs it, in either order.
func (p *Pass) Remove(conditionType string) {
	if r := p.open("Remove", conditionType); r != nil {
		if i := r.find(conditionType, "removed"); i >= 0 {
			r.lock()
			r.removed = append(r.removed, i)
			r.unlock()
		}
	}
}

// Commit ends the pass. See the package documentation for the rules, and [Result] for the result. A second Commit changes
// nothing, and its errors name every call that came too late.
func (p *Pass) Commit() (out Result) {
	if p == nil || p.r == nil {
		out.Errors = []error{errors.New("the pass was not begun")}
		return out
	}
	r := p.r
	if !r.done.CompareAndSwap(false, true) {
		out.Errors = r.misused("Commit", "")
		return out
	}
	out.list, out.stored, out.meta = r.stored, r.stored, r.meta
	s := sessions.Get().(*session)
	s.load(r)
	s.commit(&out)
	s.release()
	return out
}

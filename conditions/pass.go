// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pass is one reconcile's collection of facts about one object, ended by one [Pass.Commit]. It is not for concurrent use.
// After Commit every method does nothing.
//
//	Begin ── Report, ReportCondition, Retract (any order, any number) ── Commit
//	  │                                                                    │
//	  captures generation, stored list, clock                              compares with the stored list, stamps once
type Pass struct {
	s *session
}

// session is the memory behind a pass. It is used again by later passes, so that a steady pass allocates nothing.
type session struct {
	kind       *Kind
	capi       bool // dialect capi-v1beta1
	generation int64
	now        metav1.Time
	stored     []Condition
	memory     *Memory

	every  bool // a summary with its own Merge is being computed: it is given healthy dependents, too
	hint   int  // where the next type is looked for
	slots  []slot
	more   []fact // facts about types that already have one
	errs   []error
	inputs []Input

	// what the result takes over
	gates    []gate
	told     []told
	churning []string

	merger  merger
	options MergeOptions

	next  []Condition // new entries, by type; made when the first one is
	wrote bool        // next is in use

	ownedFirst, ownedLast, ownedCount int // of the stored list

	repair    bool // the stored list holds entries that must go: a second one of an owned type
	lookAgain time.Time
}

// fact is one report about a type.
type fact struct {
	typ, cell int // positions of the type and of the reason; the number of reasons for an undeclared one
	status    Status
	severity  Severity
	reason    string
	message   string
	since     time.Time // since when it holds, if known
}

// sessions keeps memory for reuse and no state: a session is cleared before it is put back.
var sessions = sync.Pool{New: func() any { return &session{ownedLast: -1} }}

// Begin opens a pass: it captures the generation being reconciled, the stored list (which it reads and never changes,
// and which must stay unchanged until Commit) and one clock reading, cut to whole seconds.
func (k *Kind) Begin(generation int64, stored []Condition, now time.Time) *Pass {
	return &Pass{s: k.begin(generation, stored, now)} // inlined into the caller, where it need not be allocated
}

func (k *Kind) begin(generation int64, stored []Condition, now time.Time) *session {
	s := sessions.Get().(*session)
	s.kind, s.generation, s.stored = k, generation, stored
	s.capi = k.Dialect == CAPIv1beta1
	s.now = metav1.Time{Time: now.Truncate(time.Second)}
	if cap(s.slots) < len(k.Types) {
		s.slots = make([]slot, len(k.Types))
	}
	s.slots = s.slots[:len(k.Types)] // cleared by release
	return s
}

// release clears what could keep the caller's memory alive, and gives the session back.
func (s *session) release() {
	clear(s.slots)
	clear(s.more)
	clear(s.inputs)
	s.merger.forget()
	s.options = MergeOptions{}
	s.more, s.inputs = s.more[:0], s.inputs[:0]
	s.kind, s.stored, s.memory, s.errs = nil, nil, nil, nil
	s.gates, s.told, s.churning = nil, nil, nil
	if s.wrote {
		clear(s.next)
		s.wrote = false
	}
	s.hint, s.repair, s.lookAgain = 0, false, time.Time{}
	s.ownedFirst, s.ownedLast, s.ownedCount = 0, -1, 0
	sessions.Put(s)
}

// Report reports a fact about a type. Several may be reported to one type: the reason declared first wins, and the
// message names them all. A (type, status, reason) that is not declared is replaced: by the last reason declared for
// the status, otherwise by an Unknown one; Result.Errors names it. Where a type declares no reasons any valid one is
// accepted. A report to a type that the kind does not declare, or that is Foreign, is an error and nothing else.
func (p *Pass) Report(conditionType string, s Status, reason, message string) {
	if p.s != nil {
		p.s.report(conditionType, s, reason, message)
	}
}

// ReportSince is Report with the time since when the fact holds, which dwell counts from.
func (p *Pass) ReportSince(conditionType string, s Status, reason, message string, since time.Time) {
	if p.s != nil {
		if f := p.s.report(conditionType, s, reason, message); f != nil {
			f.since = since
		}
	}
}

// ReportCondition reports a derived condition (a mirror, an aggregate, a rule). Reasons of another vocabulary are
// accepted where Type.Imported says so, and the severity is carried. Its time serves dwell, its generation nothing.
func (p *Pass) ReportCondition(c Condition) {
	if p.s == nil {
		return
	}
	if f := p.s.open(c.Type); f != nil {
		f.status, f.severity, f.reason, f.message, f.since = c.Status, c.Severity, c.Reason, c.Message, c.LastTransitionTime.Time
		p.s.judge(f, true)
	}
}

// Retract says that a derived type has no result in this pass: it is taken out of the list. A report to the same type
// outweighs it, in either order.
func (p *Pass) Retract(conditionType string) {
	if p.s == nil {
		return
	}
	s := p.s
	i := s.kind.find(conditionType, s.hint)
	switch {
	case i < 0:
		s.fail(&UndeclaredError{Kind: s.kind.Kind, Type: conditionType})
	case s.kind.Types[i].Foreign:
		s.fail(fmt.Errorf("%s: condition %s is written by somebody else and cannot be retracted", s.kind.Kind, conditionType))
	default:
		s.slots[i].retract = true
		s.hint = i + 1
	}
}

// Remember gives the pass the memory of the object, which churn needs, and dwell for facts whose age nobody knows. It is
// the caller's, one per object, and must not be used by two passes at a time.
func (p *Pass) Remember(m *Memory) {
	if p.s != nil {
		p.s.memory = m
	}
}

func (s *session) fail(err error) {
	s.errs = append(s.errs, err)
}

// report checks the fact against the declaration and keeps it.
func (s *session) report(name string, status Status, reason, message string) *fact {
	f := s.open(name)
	if f != nil {
		f.status, f.reason, f.message = status, reason, message
		s.judge(f, false)
	}
	return f
}

// open is where the next fact about a type is kept; nil where there may be none.
func (s *session) open(name string) *fact {
	k := s.kind
	i := k.find(name, s.hint)
	if i < 0 {
		s.fail(&UndeclaredError{Kind: k.Kind, Type: name})
		return nil
	}
	s.hint = i + 1
	if s.hint == len(k.Types) {
		s.hint = 0
	}
	if k.Types[i].Foreign {
		s.fail(fmt.Errorf("%s: condition %s is written by somebody else and cannot be reported", k.Kind, name))
		return nil
	}
	slot := &s.slots[i]
	slot.facts++
	f := &slot.fact
	if slot.facts > 1 {
		s.more = append(s.more, fact{})
		f = &s.more[len(s.more)-1]
	}
	f.typ = i
	return f
}

// judge makes the fact a declared cell, or the fall-back.
func (s *session) judge(f *fact, derived bool) {
	t := &s.kind.Types[f.typ]
	if f.status == "" {
		f.status = Unknown // GEP-1364: the empty status is to be read as Unknown and never written
	}
	f.cell = t.reason(f.reason, f.status)
	if f.cell < 0 || !ValidStatus(f.status) {
		s.replace(f, derived)
		return
	}
	r := &t.Reasons[f.cell]
	f.reason = r.Name
	if f.severity == SeverityNone {
		f.severity = r.Severity
	}
}

// replace makes a fact that is not declared one that is, if it may not stand as it is.
func (s *session) replace(f *fact, derived bool) {
	t := &s.kind.Types[f.typ]
	undeclared := &UndeclaredError{Kind: s.kind.Kind, Type: t.Name, Status: f.status, Reason: f.reason}
	if !ValidStatus(f.status) {
		s.fail(undeclared)
		f.status, f.severity = Unknown, SeverityNone
		f.reason, f.cell = s.fallback(t, Unknown)
		return
	}
	f.cell = len(t.Reasons)
	capi := s.capi
	open := len(t.Reasons) == 0 || t.Imported && derived
	switch {
	case f.reason == "" && (capi || s.kind.Dialect == Knative) && f.status == statusOf(weightHealthy, t.Polarity):
		return // healthy conditions are bare in these dialects
	case f.reason == "" && open && derived && s.kind.Dialect == Knative:
		return // and so is what a merge makes of dependents that are not reported
	case open && (capi && len(f.reason) <= maxReasonCAPI || ValidReason(f.reason)):
		return
	}
	s.fail(undeclared)
	f.severity = SeverityNone
	f.reason, f.cell = s.fallback(t, f.status)
	if f.cell < len(t.Reasons) {
		f.severity = t.Reasons[f.cell].Severity
		f.status = t.Reasons[f.cell].Status
		return
	}
	f.status = Unknown
}

// fallback gives the last reason declared for the status, otherwise the last Unknown one, otherwise a stock reason.
func (s *session) fallback(t *Type, status Status) (string, int) {
	for _, status := range [...]Status{status, Unknown} {
		for i := len(t.Reasons) - 1; i >= 0; i-- {
			if t.Reasons[i].Status == status {
				return t.Reasons[i].Name, i
			}
		}
	}
	return ReasonUndeclared, len(t.Reasons)
}

// UndeclaredError says that a cell, or with an empty status a type, was reported that the kind does not declare.
type UndeclaredError struct {
	Kind, Type string
	Status     Status
	Reason     string
}

func (e *UndeclaredError) Error() string {
	if e.Status == "" {
		return fmt.Sprintf("%s: condition %q is not declared", e.Kind, e.Type)
	}
	return fmt.Sprintf("%s: condition %s does not declare %s with reason %q", e.Kind, e.Type, e.Status, e.Reason)
}

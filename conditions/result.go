// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Result is the result of a commit. It may share memory with the stored list given to Begin; its slices are never written again.
type Result struct {
	// Changed reports whether there is something to write.
	Changed bool
	// Transitions are the changes of status, in declared order.
	Transitions []Transition
	// Waits lists the waits that have a deadline, to be stored in status.waits of a kind with StatusWaits; nil if no
	// wait has one.
	Waits []Wait
	// RequeueAt is when the result will change without a new fact (deadline, dwell), or when a fault or the Retry of a
	// reported cell asks to try again. The earliest of these counts; zero: never.
	RequeueAt time.Time
	// Superseded are the types that a newer observer has written: the facts of this pass about them were dropped.
	Superseded []string
	// Errors are the reports that the declaration does not allow, in a stable order. The result is valid nevertheless.
	Errors []error

	list       []Condition        // the new list; where nothing changed the stored one, unless that is meta
	stored     []Condition        // the list given to Begin
	meta       []metav1.Condition // in place of it
	waits      bool               // other waits than the stored ones
	kind       *Kind
	generation int64
	now        int64 // seconds since 1970
	unreported typeSet
	asked      bool // a fault said when to try again
	*background
}

// Conditions returns the full new list: entries of others bit-identical and in their order, owned ones in declared order. It is the stored
// list itself where nothing changed, or a copy of it of a pass over metav1 conditions.
func (r Result) Conditions() []Condition {
	if r.list == nil && r.meta != nil && !r.Changed {
		return appendMeta(make([]Condition, 0, len(r.meta)), r.meta)
	}
	return r.list
}

// Condition returns the condition of a type under its name; nil without one. It must not be changed.
func (r Result) Condition(conditionType string) *metav1.Condition {
	for i := range r.size() {
		if c := r.at(i); c.Type == conditionType {
			return c
		}
	}
	return nil
}

// Owned returns the entries that the kind owns: a server-side apply sends them, also on an unchanged pass (when another status field is
// applied).
func (r Result) Owned() []Condition {
	if r.kind == nil {
		return nil
	}
	return r.kind.owned(r.Conditions())
}

// Without returns the result without the conditions for which leave reports true: their types are absent, as if the pass had nothing to say
// about them. With a nil function it is the result as it is.
func (r Result) Without(leave func(Condition) bool) Result {
	if leave == nil || !slices.ContainsFunc(r.Owned(), leave) {
		return r
	}
	r.list = slices.DeleteFunc(slices.Clone(r.Conditions()), leave)
	r.Transitions = slices.DeleteFunc(slices.Clone(r.Transitions), func(t Transition) bool { return leave(t.To) })
	stored := r.stored
	if r.meta != nil {
		stored = appendMeta(nil, r.meta)
	}
	// In another order nothing changes.
	r.Changed = r.waits || len(r.list) != len(stored) || slices.ContainsFunc(r.list, func(c Condition) bool {
		at := Find(stored, c.Type)
		if at < 0 {
			return true
		}
		c.LastTransitionTime.Time = keepTime(c.LastTransitionTime.Time, &stored[at])
		return c != stored[at]
	})
	return r
}

// size and at look at the list without copying it.
func (r *Result) size() int {
	if r.list == nil && !r.Changed {
		return len(r.meta)
	}
	return len(r.list)
}

func (r *Result) at(i int) *metav1.Condition {
	if r.list == nil {
		return &r.meta[i]
	}
	return &r.list[i].Condition
}

// typeSet is a set of declared types by position. The last bit is shared by all types from the 64th on.
type typeSet uint64

func (s typeSet) with(i int) typeSet { return s | 1<<min(i, 63) }
func (s typeSet) has(i int) bool     { return s&(1<<min(i, 63)) != 0 }

// Unreported returns the owned types that rest on the stored list alone, in declared order. Nothing was reported
// about them in the pass, so they are as stored, or Unknown if they were not stored. If the stored list has changed
// since, the pass has to be repeated over it. If a kind has more than 64 types, those from the 64th on are treated as
// one.
func (r Result) Unreported() []string {
	if r.unreported == 0 {
		return nil
	}
	var out []string
	for i := range r.kind.Types {
		if t := &r.kind.Types[i]; r.unreported.has(i) && !t.Foreign && t.Summary == nil {
			out = append(out, t.Name)
		}
	}
	return out
}

// background explains a result beyond its list; nil where nothing does.
type background struct {
	kept  []typeCause
	gates []gate
}

// Transition returns the change of a condition of the type between two states, which are nil where it is not there; false where the status
// is the same.
func (t *Type) Transition(from, to *Condition) (Transition, bool) {
	tr := Transition{Type: t.Name}
	if from != nil {
		tr.From = *from
	}
	if to != nil {
		tr.To = *to
	}
	if tr.From.Status == tr.To.Status {
		return Transition{}, false
	}
	if cell := t.reason(tr.To.Reason, tr.To.Status); cell >= 0 {
		tr.Class, tr.Severity = t.Reasons[cell].Class, t.Reasons[cell].Severity
	}
	if tr.Severity = cmp.Or(tr.To.Severity, tr.Severity); !t.Polarity.Bad(tr.To.Status) {
		tr.Severity = SeverityNone
	}
	return tr, true
}

// Transition is a change of one condition's status, or its coming or going.
type Transition struct {
	Type     string
	From, To Condition // zero: the condition was or is not there
	Class    Class     // of the new cell, where declared
	Severity Severity  // of the new cell, where it is unhealthy
}

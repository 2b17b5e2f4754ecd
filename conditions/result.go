// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"time"
)

// Result is the result of a commit. Its slices may share memory with the stored list given to Begin and with each
// other; they are never written again.
type Result struct {
	// Conditions is the full new list: entries of others bit-identical and in their order, owned ones in declared order.
	// It is the stored list itself where nothing changed.
	Conditions []Condition
	// Owned are the entries that the kind owns: a server-side apply sends them, also on an unchanged pass (when
	// another status field is applied).
	Owned []Condition
	// Changed reports whether there is something to write.
	Changed bool
	// Transitions are the changes of status, in declared order.
	Transitions []Transition
	// Waits is the list of the waits that have a deadline, to be stored in status.waits of a kind with StatusWaits; nil: there are none.
	Waits []Wait
	// RequeueAt is when the result will change without a new fact (deadline, dwell, churn), or when a fault or the Retry of a reported cell
	// asks to try again, whichever is first; zero: never.
	RequeueAt time.Time
	// Churning are the types of which the message alone was written, or was to be written, too often; see [Churn].
	Churning []string
	// Superseded are the types that a newer observer has written: the facts of this pass about them were dropped.
	Superseded []string
	// Errors are the reports that the declaration does not allow, in a stable order. The result is valid nevertheless.
	Errors []error

	kind       *Kind
	generation int64
	now        int64 // seconds since 1970
	unreported typeSet
	asked      bool // a fault said when to try again
	*background
}

// typeSet is a set of declared types by position. The last bit is shared by all types from the 64th on.
type typeSet uint64

func (s typeSet) with(i int) typeSet { return s | 1<<min(i, 63) }
func (s typeSet) has(i int) bool     { return s&(1<<min(i, 63)) != 0 }

// Unreported returns the owned types that rest on the stored list alone, in declared order: nothing was reported about them in the pass, so
// that they stand as they were stored, or as Unknown where nothing was. If something else is stored by now, the pass has to be repeated
// over it. Of a kind of more than 64 types those from the 64th on are in it together.
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

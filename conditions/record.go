// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/conditions/internal/inside"
	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// record holds the facts that one pass has collected. It belongs to the pass, is never used for another one, and goes with the last handle,
// so that no call, however late, can reach another object. A commit reads it into a [session], which nothing outside of the commit can
// reach.
//
// A fact that is a bare cell or repeats the stored condition, as nearly all do, is kept as a mark: numbers alone, so that a steady pass
// allocates nothing.
type record struct {
	done       atomic.Bool
	kind       *Kind
	generation int64
	now        metav1.Time
	stored     []Condition
	meta       []metav1.Condition // in place of stored
	state      *inside.State
	hint       int // where the next type is looked for
	seat       int // where its stored entry is looked for

	few  [16]mark
	many []mark // in place of few, of kinds with more types

	// Facts without a mark, and everything besides. It is guarded by busy, so that wrong concurrent use tears nothing. (A sync.Mutex would
	// move every record to the heap: the compiler sees its address leave.)
	busy      atomic.Bool
	facts     []fact
	errs      []error
	gates     []gate
	causes    []typeCause
	steps     []typeStep
	requeueAt time.Time
	waiting   *waiting // nil: nothing is stored and nothing reported
	late      []error  // calls after Commit
}

// mark is the first fact about a type, where it is a declared cell without a message or repeats the stored condition.
type mark struct {
	kind    markKind
	retract bool
	cell    int32 // position of the reason; the number of reasons for an undeclared one
	at      int32 // position of the stored condition
}

type markKind uint8

const (
	noMark     markKind = iota
	cellMark            // a declared cell without a message
	storedMark          // the stored condition
)

// fact is one report about a type: a condition, with the time since when it holds, if that is known.
type fact struct {
	typ, cell int // positions of the type and of the reason; the number of reasons for an undeclared one
	Condition
}

// newFact returns the fact that a type has the stock cell of a weight.
func (k *Kind) newFact(i int, w merge.Weight, stock string) fact {
	t := &k.Types[i]
	f := fact{typ: i, cell: len(t.Reasons)}
	f.Status = statusOf(w, t.Polarity)
	f.Reason = fallbackReason(t, f.Status, stock)
	return f
}

// condition returns the condition of a fact under the name of its type, without a time and a generation: those are of the pass.
func (k *Kind) condition(f *fact) Condition {
	c := Condition{Severity: f.Severity}
	c.Type, c.Status, c.Reason, c.Message = k.Types[f.typ].Name, f.Status, f.Reason, f.Message
	return c
}

// says reports whether two conditions say the same: status, reason and message.
func says(a, b *metav1.Condition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message
}

// maxLate is how many late calls a pass remembers.
const maxLate = 16

func (r *record) begin(k *Kind, generation int64, stored []Condition, now time.Time) {
	r.kind, r.generation, r.stored = k, max(0, generation), stored
	r.now.Time = now.Round(0).Add(-time.Duration(now.Nanosecond())) // Truncate to the second, which costs more
	if len(k.Types) > len(r.few) {
		r.many = make([]mark, len(k.Types))
	}
}

func (r *record) mark(i int) *mark {
	if r.many != nil {
		return &r.many[i]
	}
	return &r.few[i]
}

// lock is held for a few instructions at a time.
func (r *record) lock() {
	for !r.busy.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

func (r *record) unlock() { r.busy.Store(false) }

// misused notes a call that came after Commit, and returns the errors of all such calls.
func (r *record) misused(call, conditionType string) []error {
	err := errors.New(r.kind.Kind + ": the pass is already committed: " + call + " does nothing")
	if conditionType != "" {
		err = errors.New(r.kind.Kind + ": the pass is already committed: " + call + " of condition " + conditionType + " does nothing")
	}
	r.lock()
	if len(r.late) < maxLate {
		r.late = append(r.late, err)
	}
	late := slices.Clone(r.late)
	r.unlock()
	return late
}

func (r *record) fail(err error) {
	r.lock()
	r.errs = append(r.errs, err)
	r.unlock()
}

// requeue asks for another pass at the time, or earlier.
func (r *record) requeue(at time.Time) {
	r.lock()
	if r.requeueAt.IsZero() || at.Before(r.requeueAt) {
		r.requeueAt = at
	}
	r.unlock()
}

// addCauses keeps the causes of a type.
func (r *record) addCauses(i int, causes []Cause) {
	r.lock()
	for _, c := range causes {
		r.causes = append(r.causes, typeCause{i,
			merge.Cause{Object: merge.Object(c.Object), Severity: string(c.Severity), Condition: c.Condition}})
	}
	r.unlock()
}

// add keeps a fact.
func (r *record) add(f *fact) {
	r.lock()
	if r.facts == nil {
		r.facts = make([]fact, 0, min(len(r.kind.Types), 16))
	}
	r.facts = append(r.facts, *f)
	r.unlock()
}

// find returns the position of a type that a pass may write, or -1 and an error in the result. verb names the call in that error.
func (r *record) find(name, verb string) int {
	i := r.kind.find(name, r.hint)
	switch {
	case i < 0:
		r.fail(&undeclaredError{Kind: r.kind.Kind, Type: name})
		return -1
	case r.kind.Types[i].Foreign:
		r.fail(fmt.Errorf("%s: condition %s is foreign: another writer owns it, and it cannot be %s", r.kind.Kind, name, verb))
		return -1
	}
	r.hint = i + 1
	return i
}

// report checks a fact against the declaration and keeps it, if the pass still takes facts.
func (r *record) report(name string, status Status, reason, message string) {
	if r == nil || r.done.Load() {
		(&Pass{r}).open("Report", name)
		return
	}
	i := r.hint // facts mostly come in declared order
	if types := r.kind.Types; i < len(types) && types[i].Name == name && !types[i].Foreign {
		r.hint = i + 1
	} else if i = r.find(name, "reported"); i < 0 {
		return
	}
	t := &r.kind.Types[i]
	for cell := range t.Reasons {
		c := &t.Reasons[cell]
		if c.Status != status {
			continue
		}
		if c.Name != reason {
			if c.named(reason) {
				break
			}
			continue
		}
		if m := r.mark(i); message == "" && m.kind == noMark { // marks, in short
			m.kind, m.cell = cellMark, int32(cell)
			return
		}
		if r.marks(i, cell, status, reason, message) {
			return
		}
		break
	}
	r.keep(i, status, reason, message)
}

// keep keeps a fact that is no mark.
func (r *record) keep(i int, status Status, reason, message string) {
	f := fact{typ: i}
	f.Status, f.Reason, f.Message = status, reason, message
	if err := r.kind.resolve(&f, false); err != nil {
		r.fail(err)
	}
	r.add(&f)
}

// derived is report for a condition that a merge made. It returns the position of its type, or -1.
func (r *record) derived(c *Condition) int {
	i := r.find(c.Type, "reported")
	if i < 0 {
		return -1
	}
	f := fact{typ: i, Condition: *c}
	if err := r.kind.resolve(&f, true); err != nil {
		r.fail(err)
	}
	if f.Severity != r.kind.Types[i].cellSeverity(f.cell) || !f.LastTransitionTime.IsZero() && !r.isStored(&f) ||
		!r.marks(i, f.cell, f.Status, f.Reason, f.Message) {
		r.add(&f)
	}
	return i
}

// cellSeverity is the declared severity of a cell.
func (t *Type) cellSeverity(cell int) Severity {
	if cell < len(t.Reasons) {
		return t.Reasons[cell].Severity
	}
	return SeverityNone
}

// marks keeps a fact as the mark of its type, and reports whether that can be done: there is no other yet, and the fact is a declared cell
// without a message, or repeats the stored condition.
func (r *record) marks(i, cell int, status Status, reason, message string) bool {
	t, m := &r.kind.Types[i], r.mark(i)
	if message == "" && cell < len(t.Reasons) {
		if m.kind == noMark {
			m.kind, m.cell = cellMark, int32(cell)
		}
		return m.kind == cellMark && m.cell == int32(cell)
	}
	at := r.position(t.Name)
	if at < 0 {
		return false
	}
	if old := r.at(at); old.Status != status || old.Reason != reason || old.Message != message {
		return false
	}
	if m.kind == noMark {
		m.kind, m.cell, m.at = storedMark, int32(cell), int32(at)
	}
	return m.kind == storedMark
}

// isStored reports whether a fact repeats the stored condition: then it does not matter since when it holds.
func (r *record) isStored(f *fact) bool {
	at := r.position(r.kind.Types[f.typ].Name)
	return at >= 0 && says(r.at(at), &f.Condition.Condition)
}

// marked sets a fact to the one that a mark means.
func (r *record) marked(f *fact, i int, m *mark) {
	t := &r.kind.Types[i]
	f.typ, f.cell, f.Severity = i, int(m.cell), t.cellSeverity(int(m.cell))
	if m.kind == cellMark {
		cell := &t.Reasons[m.cell]
		f.Status, f.Reason = cell.Status, cell.Name
		return
	}
	old := r.at(int(m.at))
	f.Status, f.Reason, f.Message = old.Status, old.Reason, old.Message
}

// position returns the index of a type in the stored list, or -1. Stored conditions mostly come in declared order, so that the one behind
// the last is looked at first.
func (r *record) position(name string) int {
	n := r.size()
	for j := range n {
		at := r.seat + j
		if at >= n {
			at -= n
		}
		if r.at(at).Type == name {
			r.seat = at + 1
			return at
		}
	}
	return -1
}

func (r *record) size() int { return len(r.stored) + len(r.meta) }

func (r *record) severity(i int) Severity {
	if r.meta != nil {
		return SeverityNone
	}
	return r.stored[i].Severity
}

func (r *record) at(i int) *metav1.Condition {
	if r.meta != nil {
		return &r.meta[i]
	}
	return &r.stored[i].Condition
}

func appendMeta(out []Condition, list []metav1.Condition) []Condition {
	for i := range list {
		out = append(out, Condition{Condition: list[i]})
	}
	return out
}

// list is the stored list.
func (r *record) list() []Condition {
	if r.meta != nil {
		return appendMeta(nil, r.meta)
	}
	return r.stored
}

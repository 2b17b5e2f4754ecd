// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// record holds the facts that one pass has collected. It belongs to the pass, is never used for another one, and goes with the last handle,
// so that no call, however late, can reach another object. A commit reads it into a [session], which nothing outside of the commit can
// reach.
type record struct {
	done       atomic.Bool
	kind       *Kind
	generation int64
	now        metav1.Time
	stored     []Condition
	meta       []metav1.Condition // in place of stored
	state      *State
	hint       int // position at which find looks first

	// busy guards the fields below, so that wrong concurrent use tears nothing. (A sync.Mutex would move every record to the heap: the
	// compiler sees its address leave.)
	busy      atomic.Bool
	few       [12]fact // the first facts: a usual pass has no more, and allocates nothing
	used      int      // entries of few
	more      []fact   // facts for which few has no room
	removed   []int    // positions of types without a result
	errs      []error
	gates     []gate
	causes    []typeCause
	steps     []typeStep
	requeueAt time.Time
	waiting   *waiting // nil: nothing is stored and nothing reported
	late      []error  // calls after Commit
}

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
	if k == nil {
		k, r.errs = &Kind{Kind: "nil"}, []error{errors.New("a pass was begun without a kind: it changes nothing")}
	}
	r.kind, r.generation, r.stored = k, max(0, generation), stored
	r.now.Time = now.Round(0).Add(-time.Duration(now.Nanosecond())) // Truncate to the second, which costs more
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
		r.causes = append(r.causes, newCause(i, c))
	}
	r.unlock()
}

// add keeps a fact.
func (r *record) add(f *fact) {
	r.lock()
	defer r.unlock()
	if r.used < len(r.few) {
		r.few[r.used] = *f
		r.used++
		return
	}
	r.more = append(r.more, *f)
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
	i := r.find(name, "reported")
	if i < 0 {
		return
	}
	f := fact{typ: i}
	f.Status, f.Reason, f.Message = status, reason, message
	r.resolve(&f, false)
}

// reportDerived is report for a condition that a merge made. It returns the position of its type, or -1.
func (r *record) reportDerived(c *Condition) int {
	i := r.find(c.Type, "reported")
	if i >= 0 {
		r.resolve(&fact{typ: i, Condition: *c}, true)
	}
	return i
}

// resolve makes a fact a declared cell and keeps it.
func (r *record) resolve(f *fact, derived bool) {
	if err := r.kind.resolve(f, derived); err != nil {
		r.fail(err)
	}
	r.add(f)
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

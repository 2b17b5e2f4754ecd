// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deadline says how long a cell may last. A commit that finds it over publishes the reason that follows, and takes it back as soon as
// another cell is reported; [Result].RequeueAt says when it will be over. The beginning is stored with the object ([Wait]), so that the
// time goes on across a restart.
type Deadline struct {
	// After is the time, unless [Pass.WaitFor] sets another one for the object. 0: no deadline unless it does.
	After time.Duration
	// Since says from when it counts; "" is SinceCell.
	Since Since
	// Then is the declared reason of the same type that follows, of the same status if there is one. Empty: the cell stays, and in dialect
	// kstatus Stalled becomes True with reason ProgressDeadlineExceeded.
	Then string
}

// Since is the beginning of a deadline.
type Since string

// The beginnings. Each of them is forgotten when the type has a cell without a deadline.
const (
	SinceCell Since = "cell" // the type got the cell
	// the type got a cell with a deadline since this generation: one that follows another continues its time
	SinceGeneration Since = "generation"
	SinceProgress   Since = "progress" // the type got the cell, or [Pass.Progress] reported another token
)

// Wait is the beginning of a wait as it is stored in status.waits of an object. That list has an entry for each
// condition type whose present cell has a deadline, or whose next cell has to last before it is published
// ([Reason].Hold).
type Wait struct {
	// Type of the condition.
	// +required
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type"`
	// Reason that the condition has, or would have if its deadline had not passed, or will have if it lasts.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
	// Since is when the wait began.
	// +required
	Since metav1.Time `json:"since"`
	// ObservedGeneration is the generation of the object at the last report of the cell.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Progress is the last token that the controller reported, for a deadline since progress.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Progress string `json:"progress,omitempty"`
	// Until is when the wait is over, where the controller has set its time for this object.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// DeepCopyInto copies the wait.
func (w *Wait) DeepCopyInto(out *Wait) {
	*out = *w
	w.Since.DeepCopyInto(&out.Since)
	out.Until = w.Until.DeepCopy()
}

// Equal reports whether two waits are the same; times of different locations may be.
func (w Wait) Equal(o Wait) bool {
	return w.Type == o.Type && w.Reason == o.Reason && w.ObservedGeneration == o.ObservedGeneration && w.Progress == o.Progress &&
		w.Since.Equal(&o.Since) && w.Until.Equal(o.Until)
}

// Due returns when the first of the stored waits of an object that are not over at a time is; the zero time: none is.
func (k *Kind) Due(stored []Wait, now time.Time) (first time.Time) {
	for i := range stored {
		if at := k.due(&stored[i]); at.After(now) && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// Overdue reports whether the stored wait of a type has lasted for d (see [Pass.WaitFor]) by now. It is for a
// controller that acts on this before it reports the facts. A wait since the generation counts only for the object's
// present generation. Nothing is overdue if d is 0 or less.
func (k *Kind) Overdue(object interface {
	GetGeneration() int64
	GetWaits() []Wait
}, conditionType string, d time.Duration, now time.Time) bool {
	for _, w := range object.GetWaits() {
		if k.OwnedType(w.Type) != conditionType {
			continue
		}
		t := &k.Types[k.find(conditionType, 0)]
		at := slices.IndexFunc(t.Reasons, func(r Reason) bool { return r.Deadline != nil && r.named(w.Reason) })
		return at >= 0 && d > 0 && !now.Before(w.Since.Add(d)) &&
			(t.Reasons[at].Deadline.Since != SinceGeneration || w.ObservedGeneration == object.GetGeneration())
	}
	return false
}

// due returns when a stored wait is over; the zero time: never, or nothing is declared about it any more.
func (k *Kind) due(w *Wait) time.Time {
	if !w.Until.IsZero() {
		return w.Until.Time
	}
	if i := k.find(w.Type, 0); i >= 0 {
		for j := range k.Types[i].Reasons {
			if r := &k.Types[i].Reasons[j]; r.named(w.Reason) && r.wait() > 0 {
				return w.Since.Add(r.wait())
			}
		}
	}
	return time.Time{}
}

// wait is how long the cell may last, or has to; 0: there is no limit, or a pass sets it.
func (r *Reason) wait() time.Duration {
	if r.Deadline != nil {
		return r.Deadline.After
	}
	return r.Hold
}

// waiting holds the waits of a pass.
type waiting struct {
	stored []Wait
	of     map[string]waitFacts // by declared type
}

// waitFacts holds the reports of a pass about the wait of a type.
type waitFacts struct {
	progress *string
	time     *time.Duration
	since    time.Time // since when the reported cell holds; zero: it is not known
}

// SetWaits gives the stored waits of the object, of a kind with StatusWaits. They are read and never changed.
func (p *Pass) SetWaits(stored []Wait) {
	if r := p.open("SetWaits", ""); r != nil && len(stored) > 0 {
		r.lock()
		defer r.unlock()
		r.waits().stored = stored
	}
}

// Progress reports how far the work is for which a type waits. The token changes only when the work advances, such as
// a digest of the version being rolled out or the number of finished steps. A count that also falls would make the
// wait endless. A deadline since progress starts again with each new token. With an empty token there is no work to
// wait for, and the time does not run. Tokens of more than 256 bytes are cut.
func (p *Pass) Progress(conditionType, token string) {
	token = merge.Cut(token, 256)
	p.wait("Progress", conditionType, func(w *waitFacts) { w.progress = &token })
}

// WaitFor sets a time for this object in place of the declared one. It is how long the reported cell of a type may
// last if it has a deadline, or must last before it is published if it has a hold. 0 or less means that it may last
// forever, or is published at once. The end is stored with the beginning, so that readers know it.
func (p *Pass) WaitFor(conditionType string, d time.Duration) {
	p.wait("WaitFor", conditionType, func(w *waitFacts) { w.time = &d })
}

// WaitSince reports since when the reported cell of a type holds, where that is earlier than this pass: a wait that begins does so then.
// The zero time reports nothing.
func (p *Pass) WaitSince(conditionType string, since time.Time) {
	p.wait("WaitSince", conditionType, func(w *waitFacts) { w.since = since })
}

// wait keeps a fact about the wait of a type.
func (p *Pass) wait(call, conditionType string, keep func(*waitFacts)) {
	r := p.open(call, conditionType)
	if r == nil {
		return
	}
	if i := r.find(conditionType, "reported"); i >= 0 {
		r.lock()
		defer r.unlock()
		w, name := r.waits(), r.kind.Types[i].Name
		if w.of == nil {
			w.of = map[string]waitFacts{}
		}
		of := w.of[name]
		keep(&of)
		w.of[name] = of
	}
}

func (r *record) waits() *waiting {
	if r.waiting == nil {
		r.waiting = &waiting{}
	}
	return r.waiting
}

// storedWait returns the stored wait of a type.
func (s *session) storedWait(name string) (Wait, bool) {
	if s.waiting != nil {
		for _, w := range s.waiting.stored {
			if w.Type == name || s.kind.OwnedType(w.Type) == name {
				return w, true
			}
		}
	}
	return Wait{}, false
}

// waitOf returns what the pass reported about the wait of a type.
func (s *session) waitOf(name string) waitFacts {
	if s.waiting == nil {
		return waitFacts{}
	}
	return s.waiting.of[name]
}

// enter completes a wait that began at a time, or when the pass reports that it did, and returns when it is over.
func (s *session) enter(w *Wait, since metav1.Time, after time.Duration, of waitFacts) (due time.Time) {
	if w.Since = since; !of.since.IsZero() && of.since.Before(since.Time) {
		w.Since.Time = of.since.Truncate(time.Second)
	}
	due = w.Since.Add(after)
	if of.time != nil {
		w.Until = &metav1.Time{Time: due}
	}
	return due
}

// expire replaces the fact of a type whose cell has lasted for longer than declared, and enters the wait.
func (s *session) expire(i int) {
	slot, t := &s.slots[i], &s.kind.Types[i]
	f := &slot.fact
	if f.cell >= len(t.Reasons) || t.Reasons[f.cell].Deadline == nil || slot.awaited {
		return
	}
	if old := s.old(i); old != nil && t.Lifecycle.final(old.Status, f.Status) {
		return
	}
	slot.awaited = true
	cell, of := &t.Reasons[f.cell], s.waitOf(t.Name)
	d, after := cell.Deadline, cell.Deadline.After
	if of.time != nil {
		after = *of.time
	}
	if after <= 0 {
		return
	}
	w := Wait{Type: t.Name, Reason: cell.Name, ObservedGeneration: s.generation}
	if d.Since == SinceProgress && of.progress != nil {
		if w.Progress = *of.progress; w.Progress == "" {
			return
		}
	}
	due := s.enter(&w, s.began(i, d, &w, after), after, of)
	s.waits = append(s.waits, w)
	if s.now.Time.Before(due) {
		s.requeue(due)
		return
	}
	slot.expired = after
	if next := t.follows(d.Then, cell.Status); next >= 0 {
		f.Message = lasted(f, after)
		f.cell, f.Status, f.Reason, f.Severity = next, t.Reasons[next].Status, t.Reasons[next].Name, t.Reasons[next].Severity
	}
}

// hold drops the facts of a type whose cells have to last before they are published and have not. Where no other is reported the type keeps
// the cell that is stored, or begins healthy. The wait is entered, and stays while another reason is published in place of the cell.
func (s *session) hold(i int) {
	slot, t, old := &s.slots[i], &s.kind.Types[i], s.old(i)
	facts := []fact{slot.fact}
	s.more = slices.DeleteFunc(s.more, func(f fact) bool {
		if f.typ == i {
			facts = append(facts, f)
		}
		return f.typ == i
	})
	first := slices.MinFunc(facts, func(a, b fact) int { return cmp.Compare(a.cell, b.cell) }).cell
	facts = slices.DeleteFunc(facts, func(f fact) bool {
		if !t.held(f.cell) {
			return false
		}
		cell := &t.Reasons[f.cell]
		w, due := s.holding(t, cell)
		over := !s.now.Time.Before(due) || old == nil && t.Polarity.Good(cell.Status)
		if published := old != nil && old.Status == cell.Status && t.canonicalReason(old) == cell.Name; published && !over {
			over, w.Until = true, nil
			w.Since.Time = s.now.Add(w.Since.Sub(due))
		}
		if !slot.awaited && !(over && f.cell == first) {
			slot.awaited = true
			s.waits = append(s.waits, w)
		}
		if !over {
			s.requeue(due)
		}
		return !over
	})
	switch slot.facts = len(facts); {
	case slot.facts > 0:
		slot.fact = facts[0]
		s.more = append(s.more, facts[1:]...)
	default:
		slot.reported, slot.facts = false, 1
		if slot.fact = s.kind.newFact(i, weightHealthy, reasonHealthy); old != nil { // it holds for this generation, too
			slot.fact.Condition = *old
			slot.fact.Reason, slot.fact.LastTransitionTime = t.canonicalReason(old), metav1.Time{}
		}
		if at := t.reason(slot.fact.Reason, slot.fact.Status); at >= 0 {
			slot.fact.cell = at
		}
	}
}

// holding returns the wait for a cell that has to last, and when it is over.
func (s *session) holding(t *Type, cell *Reason) (Wait, time.Time) {
	of, after := s.waitOf(t.Name), cell.Hold
	if of.time != nil {
		after = max(*of.time, 0)
	}
	w := Wait{Type: t.Name, Reason: cell.Name, ObservedGeneration: s.generation}
	since := s.now
	if before, ok := s.storedWait(t.Name); ok && before.Reason == w.Reason && !before.Since.After(s.now.Time) {
		since = before.Since
	}
	return w, s.enter(&w, since, after, of)
}

// began returns when a wait began: the stored time if it is the same wait. Without a place to store it, the last transition of the status
// tells, or that the stored condition has the reason that followed.
func (s *session) began(i int, d *Deadline, w *Wait, after time.Duration) metav1.Time {
	t := &s.kind.Types[i]
	if before, ok := s.storedWait(t.Name); ok {
		same := before.Reason == w.Reason
		switch d.Since {
		case SinceGeneration:
			same = before.ObservedGeneration == w.ObservedGeneration
		case SinceProgress:
			same = same && before.Progress == w.Progress
		}
		if same && !before.Since.After(s.now.Time) {
			return before.Since
		}
		return s.now
	}
	old := s.old(i)
	if old == nil || s.kind.StatusWaits || s.ahead(old) || old.LastTransitionTime.IsZero() {
		return s.now
	}
	switch {
	case old.Status == s.slots[i].fact.Status:
		return metav1.Time{Time: s.past(old.LastTransitionTime.Time)}
	case d.Then != "" && t.canonicalReason(old) == d.Then: // of another status: it was published when the time was over
		return metav1.Time{Time: old.LastTransitionTime.Add(-after)}
	}
	return s.now
}

// follows returns the position of the cell that follows one of the status when its deadline has passed, or -1.
func (t *Type) follows(then string, status Status) int {
	if then == "" {
		return -1
	}
	if at := t.reason(then, status); at >= 0 {
		return at
	}
	return slices.IndexFunc(t.Reasons, func(r Reason) bool { return r.named(then) })
}

// lasted is the message about a fact that has lasted too long. It does not say for how long by now: the message would change with each
// pass.
func lasted(f *fact, after time.Duration) string {
	text := cmp.Or(f.Reason, string(f.Status)) + " for longer than " + short(after)
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

// short is a duration without zeros at its end: 30m, not 30m0s.
func short(d time.Duration) string {
	text := d.String()
	for _, tail := range []string{"m0s", "h0m"} {
		if n := len(text) - len(tail); n > 0 && text[n:] == tail {
			text = text[:n+1]
		}
	}
	return text
}

// exceeded is the fact about Stalled that cells make which have lasted for longer than declared and have no reason that follows; false
// without one.
func (s *session) exceeded(i int) (fact, bool) {
	t := &s.kind.Types[i]
	if t.Name != TypeStalled {
		return fact{}, false
	}
	for j := range s.kind.Types {
		slot := &s.slots[j]
		if s.kind.Types[j].Name == TypeReconciling && s.kind.abnormal(j) && slot.facts > 0 {
			if slot.facts > 1 && slot.outcome == pendingOutcome {
				s.combine(j)
			}
			s.expire(j)
		}
		if slot.expired == 0 || slot.fact.cell >= len(s.kind.Types[j].Reasons) {
			continue
		}
		if d := s.kind.Types[j].Reasons[slot.fact.cell].Deadline; d != nil && d.Then == "" {
			f := s.kind.newFact(i, weightUnhealthy, reasonUnhealthy)
			if cell := t.reason(reasonDeadlineExceeded, f.Status); cell >= 0 || t.Imported {
				f.Reason = reasonDeadlineExceeded
				if f.cell = cell; cell < 0 {
					f.cell = len(t.Reasons)
				}
			}
			f.Message = s.kind.Types[j].Name + ": " + lasted(&slot.fact, slot.expired)
			return f, true
		}
	}
	return fact{}, false
}

// keepWaits enters the waits of types that this pass does not report, or that a newer observer has written. It
// reports whether the list differs from the stored one.
func (s *session) keepWaits() bool {
	for i := range s.kind.Types {
		t, slot := &s.kind.Types[i], &s.slots[i]
		if slot.outcome != kept || slot.awaited || t.Foreign || !slot.superseded && slot.reported {
			continue
		}
		if w, ok := s.storedWait(t.Name); ok && s.current(i) != nil {
			if due := s.kind.due(&w); due.After(s.now.Time) && !slot.superseded {
				s.requeue(due)
			}
			s.waits = append(s.waits, w)
		}
	}
	slices.SortFunc(s.waits, func(a, b Wait) int { return cmp.Compare(s.kind.find(a.Type, 0), s.kind.find(b.Type, 0)) })
	var stored []Wait
	if s.waiting != nil {
		for _, w := range s.waiting.stored {
			if s.kind.OwnedType(w.Type) != "" { // the others have other writers
				stored = append(stored, w)
			}
		}
	}
	return s.kind.StatusWaits && !slices.EqualFunc(s.waits, stored, Wait.Equal)
}

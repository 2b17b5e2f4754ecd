// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deadline says how long a cell may last. A commit that finds it over publishes the reason that follows, and takes it back as soon as
// another cell is reported; [Result].RequeueAt says when it will be over. The beginning is stored with the object ([Wait]), so that the
// time goes on across a restart.
type Deadline struct {
	After time.Duration // more than 0
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

// Wait is the beginning of a wait as it is stored in status.waits of an object, a list with one entry for each condition type that has a
// deadline at the moment.
type Wait struct {
	// Type of the condition.
	// +required
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type"`
	// Reason that the condition has, or would have if its deadline had not passed.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
	// Since is when the wait began.
	// +required
	Since metav1.Time `json:"since"`
	// ObservedGeneration is that of the object when it was reported last.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Progress is what the controller reported of its progress, of a deadline since then.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Progress string `json:"progress,omitempty"`
}

// DeepCopyInto copies the wait.
func (w *Wait) DeepCopyInto(out *Wait) {
	*out = *w
	w.Since.DeepCopyInto(&out.Since)
}

// equal compares waits; times with another location are the same.
func (w Wait) equal(o Wait) bool {
	return w.Type == o.Type && w.Reason == o.Reason && w.ObservedGeneration == o.ObservedGeneration && w.Progress == o.Progress &&
		w.Since.Equal(&o.Since)
}

// WaitsOf reads status.waits of a decoded object. An entry that cannot be read is left out, with an error that names it.
func WaitsOf(object map[string]any) ([]Wait, []error) {
	raw, err := listAt(object, "status.waits")
	if err != nil {
		return nil, []error{err}
	}
	var out []Wait
	var errs []error
	for i, entry := range raw {
		fail := func(field, text string) {
			errs = append(errs, &EntryError{List: "status.waits", Index: i, Field: field, Text: text})
		}
		m, ok := entry.(map[string]any)
		if !ok {
			fail("", "is "+kindOf(entry)+", not an object")
			continue
		}
		text := func(field string) string { s, _ := m[field].(string); return s }
		w := Wait{Type: text("type"), Reason: text("reason"), Progress: text("progress")}
		w.ObservedGeneration, _ = wholeNumber(m["observedGeneration"])
		since, err := time.Parse(time.RFC3339, text("since"))
		switch {
		case w.Type == "":
			fail("type", "is missing")
		case err != nil:
			fail("since", "is not a time of RFC 3339")
		default:
			w.Since = metav1.Time{Time: since}
			out = append(out, w)
		}
	}
	return out, errs
}

// waiting is what a pass knows of waits.
type waiting struct {
	stored   []Wait
	progress map[string]string // by declared type
}

// SetWaits gives the stored waits of the object, of a kind with StatusWaits. They are read and never changed.
func (p *Pass) SetWaits(stored []Wait) {
	if r := p.open("SetWaits", ""); r != nil && len(stored) > 0 {
		r.lock()
		defer r.unlock()
		r.waits().stored = stored
	}
}

// Progress reports how far the work is for which a type waits: a token that changes only when it gets on, such as a digest of what is being
// rolled out or the number of finished steps; a count that also falls would make the wait endless. A deadline since progress begins anew
// with another token. With an empty one there is no work to wait for, and the time does not run. Tokens of more than 256 bytes are cut.
func (p *Pass) Progress(conditionType, token string) {
	r := p.open("Progress", conditionType)
	if r == nil {
		return
	}
	if i := r.find(conditionType, "reported"); i >= 0 {
		r.lock()
		defer r.unlock()
		w := r.waits()
		if w.progress == nil {
			w.progress = map[string]string{}
		}
		w.progress[r.kind.Types[i].Name] = CutMessage(token, 256)
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
			if w.Type == name || s.kind.Owned(w.Type) == name {
				return w, true
			}
		}
	}
	return Wait{}, false
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
	cell := &t.Reasons[f.cell]
	d := cell.Deadline
	w := Wait{Type: t.Name, Reason: cell.Name, ObservedGeneration: s.generation, Since: s.now}
	if s.waiting != nil && d.Since == SinceProgress {
		reported := false
		if w.Progress, reported = s.waiting.progress[t.Name]; reported && w.Progress == "" {
			return
		}
	}
	w.Since = s.began(i, d, &w)
	s.waits = append(s.waits, w)
	due := w.Since.Add(d.After)
	if s.now.Time.Before(due) {
		s.requeue(due)
		return
	}
	slot.expired = true
	if next := t.follows(d.Then, cell.Status); next >= 0 {
		f.Message = lasted(f, d.After)
		f.cell, f.Status, f.Reason, f.Severity = next, t.Reasons[next].Status, t.Reasons[next].Name, t.Reasons[next].Severity
	}
}

// began returns when a wait began: the stored time if it is the same wait. Without a place to store it, the last transition of the status
// tells, or that the stored condition has the reason that followed.
func (s *session) began(i int, d *Deadline, w *Wait) metav1.Time {
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
		return metav1.Time{Time: old.LastTransitionTime.Add(-d.After)}
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
		if !slot.expired || slot.fact.cell >= len(s.kind.Types[j].Reasons) {
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
			f.Message = s.kind.Types[j].Name + ": " + lasted(&slot.fact, d.After)
			return f, true
		}
	}
	return fact{}, false
}

// keepWaits enters the waits of types about which this pass says nothing, or that a newer observer has written, and reports whether the
// list is another one than the stored one.
func (s *session) keepWaits() bool {
	if s.waiting == nil && len(s.waits) == 0 {
		return false
	}
	for i := range s.kind.Types {
		t, slot := &s.kind.Types[i], &s.slots[i]
		if slot.outcome != kept || slot.awaited || t.Foreign || !slot.superseded && slot.reported {
			continue
		}
		if w, ok := s.storedWait(t.Name); ok && s.current(i) != nil {
			if cell := slices.IndexFunc(t.Reasons, func(r Reason) bool { return r.Deadline != nil && r.named(w.Reason) }); cell >= 0 &&
				!slot.superseded {
				if due := w.Since.Add(t.Reasons[cell].Deadline.After); due.After(s.now.Time) {
					s.requeue(due)
				}
			}
			s.waits = append(s.waits, w)
		}
	}
	slices.SortFunc(s.waits, func(a, b Wait) int { return cmp.Compare(s.kind.find(a.Type, 0), s.kind.find(b.Type, 0)) })
	var stored []Wait
	if s.waiting != nil {
		for _, w := range s.waiting.stored {
			if s.kind.Owned(w.Type) != "" { // the others have other writers
				stored = append(stored, w)
			}
		}
	}
	return s.kind.StatusWaits && !slices.EqualFunc(s.waits, stored, Wait.equal)
}

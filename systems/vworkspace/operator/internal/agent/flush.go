// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/tristate/tristate/systems/vworkspace/operator/api/transition"
)

// patience is how long objects wait for the journal after the start.
const patience = 10 * time.Second

// Mark waits until the journal is read, or has not been for a while after the start, and returns the mark of an object.
func (a *Agent) Mark(ctx context.Context, uid string) Mark {
	if a == nil {
		return Mark{}
	}
	if wait := patience - time.Since(a.born); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-a.ready:
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.journal.Taken[uid]
}

// restored reports whether a status was removed or replaced since the agent has its transitions up to a number: its record, which is not
// full, does not have that one before the next.
func restored(transitions []transition.Transition, last int64) bool {
	at := slices.IndexFunc(transitions, func(t transition.Transition) bool { return t.Sequence == last+1 })
	return last > 0 && at >= 0 && len(transitions) < transition.Length && (at == 0 || transitions[at-1].Sequence != last)
}

// Take takes over the state of an object, and the transitions that it did not take over before. Those that the object's record has dropped
// already are counted as lost. A status that was removed or replaced in the meantime is an event of its own.
func (a *Agent) Take(ref ResourceRef, transitions []transition.Transition) {
	if ref.UID == "" {
		return
	}
	a.mu.Lock()
	if m := a.journal.Taken[ref.UID]; a.loaded && ref.State > m.State { // what has happened does not go back
		a.journal.Taken[ref.UID] = Mark{m.Sequence, ref.State}
		a.mark()
	}
	if !a.loaded || a.config.Endpoint == "" || len(transitions) == 0 {
		a.mu.Unlock()
		return // it takes them over when the journal is loaded and a control plane configured
	}
	last := a.journal.Taken[ref.UID].Sequence
	var events []Event
	lost := 0
	if restored(transitions, last) {
		events = append(events, Event{EventKey: fmt.Sprintf("restored/%s/%d", ref.UID, last), Kind: StatusRestored, ResourceRef: &ref,
			Timestamp: a.Now().UTC()})
	}
	for _, t := range transitions {
		if t.Sequence <= last {
			continue
		}
		lost += int(t.Sequence - last - 1)
		last = t.Sequence
		events = append(events, transitionEvent(ref, t))
	}
	if len(events) == 0 {
		a.mu.Unlock()
		return
	}
	a.journal.Taken[ref.UID] = Mark{last, a.journal.Taken[ref.UID].State}
	a.mark()
	// Within the lock, so that the events of an object cannot change places.
	a.Buffer.Lost(lost)
	overflow := a.Buffer.Add(events...) + lost
	first := overflow > 0 && a.dropped == 0
	if first {
		a.dropped = int64(overflow)
	}
	full := a.Buffer.Crowded()
	idle := a.nextSend.IsZero()
	if idle || full && a.sends == 0 {
		a.nextSend = a.Now()
		if !full {
			a.nextSend = a.nextSend.Add(FlushInterval)
		}
	}
	a.mu.Unlock()
	a.Counter.dropped(overflow)
	if idle || full {
		signal(a.wake[2])
	}
	if first && a.Changed != nil {
		a.Changed()
	}
}

// Stored reports whether the journal has all transitions of an object and is stored, so that the object may go.
func (a *Agent) Stored(uid string, transitions []transition.Transition) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.config.Endpoint == "" || len(transitions) == 0 {
		return true
	}
	return a.saved[uid].Sequence >= transitions[len(transitions)-1].Sequence
}

// Retain drops the records of objects that do not exist anymore.
func (a *Agent) Retain(exists map[string]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for uid := range a.journal.Taken {
		if !exists[uid] {
			delete(a.journal.Taken, uid)
			a.mark()
		}
	}
}

// Gone takes over the last transitions of an object that was deleted, and drops its record.
func (a *Agent) Gone(ref ResourceRef, transitions []transition.Transition) {
	a.Take(ref, transitions)
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.journal.Taken[ref.UID]; ok {
		delete(a.journal.Taken, ref.UID)
		a.mark()
	}
}

// Load reads the journal; before that it takes nothing over and sends nothing.
func (a *Agent) Load(ctx context.Context) error {
	j, err := a.Store.Load(ctx)
	if err != nil {
		return err
	}
	if j.Taken == nil {
		j.Taken = map[string]Mark{}
	}
	a.Buffer.Restore(j.Buffer)
	a.mu.Lock()
	if !a.loaded {
		close(a.ready)
	}
	a.journal, a.loaded, a.dropped, a.saved = j, true, j.Buffer.Dropped, maps.Clone(j.Taken)
	configured := a.config.Endpoint != ""
	a.mu.Unlock()
	if configured && a.Resync != nil {
		a.Resync()
	}
	if a.Changed != nil {
		a.Changed()
	}
	return nil
}

// Flush is the task of the events: it stores the journal where it changed, and posts the events in order, a batch at a time. It returns
// when to call it again; zero: when woken. The journal does not wait for the control plane: objects that are deleted wait for it.
func (a *Agent) Flush(ctx context.Context) time.Time {
	a.mu.Lock()
	loaded, sends, saves := a.loaded, !a.Now().Before(a.nextSend), a.dirty && !a.Now().Before(a.nextSave)
	a.mu.Unlock()
	if !loaded {
		return time.Time{}
	}
	if sends || saves {
		a.store(ctx)
	}
	if sends {
		err := a.send(ctx)
		a.store(ctx)
		a.sent(err)
	}
	a.Counter.occupancy(a.Buffer.Len())
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dirty && (a.nextSend.IsZero() || a.nextSave.Before(a.nextSend)) {
		return a.nextSave
	}
	return a.nextSend
}

// sent sets when events are sent again.
func (a *Agent) sent(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var status *StatusError
	switch {
	case errors.As(err, &status) && status.RetryAfter > 0:
		a.sends++
		a.nextSend = a.Now().Add(status.RetryAfter)
	case err != nil:
		a.sends++
		a.nextSend = a.Now().Add(a.backoff(a.sends, maxBackoff))
	default:
		a.sends, a.nextSend = 0, time.Time{}
		if a.Buffer.Len() > 0 && a.link.OK() {
			a.nextSend = a.Now().Add(FlushInterval)
		}
	}
}

// store saves the journal, and again later where that fails.
func (a *Agent) store(ctx context.Context) {
	err := a.save(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.saves = 0
		return
	}
	a.saves++
	a.nextSave = a.Now().Add(a.backoff(a.saves, maxBackoff))
}

// save stores the journal where it changed.
func (a *Agent) save(ctx context.Context) error {
	a.mu.Lock()
	if !a.dirty {
		a.mu.Unlock()
		return nil
	}
	a.journal.Buffer = a.Buffer.State()
	j := a.journal.clone()
	a.dirty = false
	a.mu.Unlock()
	err := a.Store.Save(ctx, j)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.dirty, a.nextSave = true, a.Now().Add(FlushInterval)
	} else {
		a.saved = j.Taken
	}
	return err
}

// send posts the events of the buffer, and stops at the first failure.
func (a *Agent) send(ctx context.Context) error {
	for ctx.Err() == nil {
		batch := a.Buffer.Next()
		a.mu.Lock()
		at, ok := a.attempt(), a.link.OK()
		client, stored, config := at.client, at.stored, at.config
		a.mu.Unlock()
		if len(batch) == 0 {
			a.delivered(nil)
			return nil
		}
		if !ok || client == nil || stored == nil {
			return nil // the connection wakes the task
		}
		a.Counter.attempt("events")
		err := client.Call(ctx, http.MethodPost, PathEvents, stored.Token, 0, Events{ClusterID: config.ClusterID, Events: batch}, nil)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		current := a.posted(at, err)
		switch {
		case err != nil && current:
			return err
		case err != nil, !current && a.begin().config != config:
			return nil // it is late; events are posted again to another control plane
		}
		a.delivered(batch)
	}
	return ctx.Err()
}

// posted records the outcome of a post. A control plane that does not accept posts can be reached: heartbeats say whether it can.
func (a *Agent) posted(at attempt, err error) (current bool) {
	var status *StatusError
	if errors.As(err, &status) && status.Code >= 500 {
		return !a.late(at)
	}
	return a.presented(at, err, false)
}

// delivered removes events from the buffer.
func (a *Agent) delivered(batch []Event) {
	drained := a.Buffer.Delivered(batch)
	a.mu.Lock()
	if len(batch) > 0 || drained {
		a.mark()
	}
	if drained {
		a.dropped = 0
	}
	a.mu.Unlock()
	if drained && a.Changed != nil {
		a.Changed()
	}
}

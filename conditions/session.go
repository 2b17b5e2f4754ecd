// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"sync"
	"time"

	"github.com/tristate/tristate/conditions/internal/merge"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// session is the working memory of one commit. Later commits use it again, so that an unchanged pass allocates
// nothing; neither a pass nor a result refers to it.
type session struct {
	kind       *Kind
	rules      *merge.Rules
	generation int64
	now        metav1.Time
	stored     []Condition
	state      *State

	slots  []slot
	more   []fact // facts about types that already have one
	errs   []error
	inputs []merge.Input

	// what the result takes over
	gates  []gate
	causes []typeCause
	steps  []typeStep

	merger  merge.Merger
	options merge.Options
	target  merge.Target
	text    merge.Buffer

	next  []Condition // new entries, by type; made when the first one is
	wrote bool        // next is in use

	types []int // of the stored list, by position; -1: not declared
	owned int   // entries of the stored list

	copied []Condition // the stored list of a pass over metav1 conditions

	repair    bool // the stored list holds entries that must go: a second one of an owned type
	requeueAt time.Time
	asked     bool // for the time, by a fault
	waiting   *waiting
	waits     []Wait // of the result
}

// sessions keeps memory for reuse and no state: a session is cleared before it is put back.
var sessions = sync.Pool{New: func() any { return new(session) }}

// load reads the facts of a pass.
func (s *session) load(r *record) {
	k := r.kind
	s.kind, s.generation, s.stored = k, r.generation, r.stored
	s.rules = k.Dialect.rules()
	s.now, s.state = r.now, r.state
	if r.meta != nil {
		s.copied = appendMeta(s.copied[:0], r.meta)
		s.stored = s.copied
	}
	if cap(s.slots) < len(k.Types) {
		s.slots = make([]slot, len(k.Types))
	}
	s.slots = s.slots[:len(k.Types)] // cleared by release
	r.lock()
	defer r.unlock()
	s.errs, s.gates, s.causes, s.steps, s.requeueAt = r.errs, r.gates, r.causes, r.steps, r.requeueAt
	s.waiting, s.asked = r.waiting, !r.requeueAt.IsZero()
	for _, step := range r.steps {
		s.slots[step.typ].step = step.step
	}
	for _, i := range r.removed {
		s.slots[i].retract = true
	}
	for i := range r.used {
		s.add(&r.few[i])
	}
	for i := range r.more {
		s.add(&r.more[i])
	}
}

// add enters a fact: the first one of a type in its slot, others behind.
func (s *session) add(f *fact) {
	slot := &s.slots[f.typ]
	if slot.facts++; slot.facts == 1 {
		slot.fact, slot.reported = *f, true
		return
	}
	s.more = append(s.more, *f)
}

// release clears what could keep the caller's memory alive, and returns the session to the pool.
func (s *session) release() {
	for i := range s.slots {
		slot := &s.slots[i]
		if slot.facts > 0 { // usually there are no facts, and a fact is large
			slot.fact = fact{}
		}
		slot.slotState = slotState{}
	}
	clear(s.more)
	clear(s.inputs)
	s.options.Stored, s.target = "", merge.Target{}
	s.more, s.inputs = s.more[:0], s.inputs[:0]
	s.kind, s.stored, s.state, s.errs = nil, nil, nil, nil
	s.gates, s.causes, s.steps = nil, nil, nil
	s.waiting, s.waits = nil, nil
	if s.wrote {
		clear(s.next)
		s.wrote = false
	}
	s.repair, s.requeueAt, s.owned = false, time.Time{}, 0
	clear(s.copied)
	s.copied = s.copied[:0]
	sessions.Put(s)
}

func (s *session) fail(err error) {
	s.errs = append(s.errs, err)
}

// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
)

// Target is a named object to wait for, or all objects that a selector finds.
type Target int

type target struct {
	name    string
	open    bool // a selector: objects come and go
	serving Serving
	loaded  bool // it was served once
	why     string
	since   time.Time // of Trouble
	members int
}

type entry struct {
	Status
	facts    Facts
	first    int64     // the first generation that was seen; 0: none yet
	seen     time.Time // when it was first observed
	metAt    time.Time // since when Met holds
	failedAt time.Time // since when Failed holds
	at       time.Time // when its state changes by time alone
	index    int       // in the heap, -1 outside
}

type id struct {
	target Target
	key    string
}

// Machine decides. It is not safe for concurrent use. Each call costs at most the logarithm of the number of objects.
type Machine struct {
	goal     Goal
	start    time.Time
	targets  []target
	entries  map[id]*entry
	counts   map[State]int
	due      dueHeap
	changed  map[id]bool
	progress time.Time // when something last changed
}

// New starts a wait.
func New(goal Goal, now time.Time) *Machine {
	return &Machine{goal: goal, start: now, progress: now, entries: map[id]*entry{}, counts: map[State]int{}, changed: map[id]bool{}}
}

// Named adds a target that is one object, by the key under which it will be observed. It counts before it is observed.
func (m *Machine) Named(key string) Target {
	m.targets = append(m.targets, target{name: key})
	t := Target(len(m.targets) - 1)
	m.Observe(t, key, Facts{}, m.start)
	return t
}

// Selected adds a target that is any number of objects.
func (m *Machine) Selected(name string) Target {
	m.targets = append(m.targets, target{name: name, open: true})
	return Target(len(m.targets) - 1)
}

// Loaded records whether the kind of a target can be read, and why not.
func (m *Machine) Loaded(t Target, s Serving, why string, now time.Time) {
	if m.targets[t].serving == s && m.targets[t].why == why {
		return
	}
	if m.targets[t].serving == Trouble && s == Served {
		m.restart(t, now)
	}
	if s == Trouble && m.targets[t].serving != Trouble {
		m.targets[t].since = now
	}
	m.targets[t].serving, m.targets[t].why = s, why
	m.targets[t].loaded = m.targets[t].loaded || s == Served
	m.progress = now
	for _, e := range m.entries {
		if e.Target == t {
			m.settle(e, now)
		}
	}
}

// restart counts again from now how long objects of a target have been in their state: they were not seen meanwhile.
func (m *Machine) restart(t Target, now time.Time) {
	for _, e := range m.entries {
		if e.Target != t || e.State == Met || e.State == Failed {
			continue
		}
		if !e.metAt.IsZero() {
			e.metAt = now
		}
		if !e.failedAt.IsZero() {
			e.failedAt = now
		}
	}
}

// Observe records the facts about an object.
func (m *Machine) Observe(t Target, key string, f Facts, now time.Time) {
	e := m.entries[id{t, key}]
	if e == nil {
		e = &entry{Status: Status{Target: t, Key: key}, seen: now, index: -1}
		m.entries[id{t, key}] = e
		m.targets[t].members++
		m.progress = now
	} else if e.facts != f {
		m.progress = now
	}
	e.metAt = since(e.metAt, f.Met, now)
	e.failedAt = since(e.failedAt, f.Failed, now)
	e.facts = f
	if e.first == 0 {
		e.first = f.Generation
	}
	m.settle(e, now)
}

// since returns the start of the uninterrupted time for which a fact holds; zero if it does not hold.
func since(start time.Time, holds bool, now time.Time) time.Time {
	if !holds {
		return time.Time{}
	}
	if start.IsZero() {
		return now
	}
	return start
}

// Forget removes an object of a selector: it is gone, or the selector does not find it any more.
func (m *Machine) Forget(t Target, key string, now time.Time) {
	e := m.entries[id{t, key}]
	if e == nil {
		return
	}
	m.schedule(e, time.Time{})
	m.counts[e.State]--
	m.targets[t].members--
	delete(m.entries, id{t, key})
	m.progress = now
}

// settle finds the state of an object and when time alone will change it.
func (m *Machine) settle(e *entry, now time.Time) {
	state, at := m.stateOf(e, now)
	if state != e.State {
		if e.State != "" {
			m.counts[e.State]--
		}
		m.counts[state]++
		m.changed[id{e.Target, e.Key}] = true
		m.progress = now
		e.State = state
	}
	m.schedule(e, at)
}

func (m *Machine) stateOf(e *entry, now time.Time) (State, time.Time) {
	var at time.Time
	t := &m.targets[e.Target]
	if t.serving == Forbidden {
		return Hidden, at
	}
	blind := t.serving == Trouble && e.State != Met && e.State != Failed // an object that cannot be read changes its state not by time alone
	if m.goal.Superseded && e.first > 0 && e.facts.Generation > e.first {
		return Replaced, at
	}
	if e.facts.Met {
		steady := e.metAt.Add(m.goal.StableFor)
		switch {
		case m.goal.Once, !blind && !now.Before(steady), m.goal.StableFor == 0:
			return Met, at
		case !blind:
			at = relation.Earliest(at, steady)
		}
	}
	if e.facts.Failed {
		lost := e.failedAt.Add(e.facts.Grace)
		switch {
		case m.goal.Once, !blind && !now.Before(lost), e.facts.Grace == 0:
			return Failed, at
		case !blind:
			at = relation.Earliest(at, lost)
		}
	}
	if m.goal.ObjectTimeout > 0 && !m.goal.Once {
		late := e.seen.Add(m.goal.ObjectTimeout)
		if !now.Before(late) {
			return Late, at
		}
		at = relation.Earliest(at, late)
	}
	switch {
	case e.facts.Met:
		return Steadying, at
	case e.facts.Failed:
		return Failing, at
	case e.facts.Missing:
		return Missing, at
	case e.facts.Unknown, t.serving == Trouble && !t.loaded:
		return Unknown, at
	}
	return Pending, at
}

// Changes returns the objects whose state has changed since the last call, by target and key.
func (m *Machine) Changes() []Status {
	out := make([]Status, 0, len(m.changed))
	for i := range m.changed {
		if e := m.entries[i]; e != nil {
			out = append(out, e.Status)
		}
	}
	clear(m.changed)
	slices.SortFunc(out, func(a, b Status) int { return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Key, b.Key)) })
	return out
}

// schedule puts an entry into the heap of those that time changes.
func (m *Machine) schedule(e *entry, at time.Time) {
	e.at = at
	switch {
	case at.IsZero() && e.index >= 0:
		heap.Remove(&m.due, e.index)
	case at.IsZero():
	case e.index >= 0:
		heap.Fix(&m.due, e.index)
	default:
		heap.Push(&m.due, e)
	}
}

// dueHeap orders entries by when time changes them.
type dueHeap []*entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i]; h[i].index, h[j].index = i, j }
func (h *dueHeap) Push(x any)        { e := x.(*entry); e.index = len(*h); *h = append(*h, e) }
func (h *dueHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h, e.index = old[:len(old)-1], -1
	return e
}

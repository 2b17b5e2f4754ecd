// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/utils/clock"
)

// holdLimit is how long an object waits, at most, for kinds that it depends on.
const holdLimit = 500 * time.Millisecond

// Queue hands out objects to judge: each to one worker at a time, lower ranks first. An object that becomes dirty while it is
// judged comes again. It is safe for concurrent use.
type Queue struct {
	clock clock.WithDelayedExecution
	rank  func(relation.ID) int
	hold  time.Duration

	mu       sync.Mutex
	wake     chan struct{}             // closed and replaced when something changes
	dirty    map[relation.ID]time.Time // since when
	order    map[int][]relation.ID     // by rank; may hold objects that are not dirty any more
	ranks    map[relation.ID]int       // of dirty ones
	chain    map[relation.ID]int       // of dirty ones: how many of our own writes in a row led to it; without an entry, none
	inFlight map[relation.ID]handed
	Later    map[relation.ID]delayed // to become dirty at a time
	failures map[relation.ID]int
	grown    int // objects that became dirty since the maps were made
	closed   bool
}

// roomy is how many objects the maps may have held when they are kept for the next ones.
const roomy = 1000

// handed is an object that is being judged.
type handed struct{ rank, chain int }

type delayed struct {
	At    time.Time
	Timer clock.Timer
}

// New returns an empty queue; objects of a lower rank are handed out first.
func New(c clock.WithDelayedExecution, rank func(relation.ID) int) *Queue {
	return &Queue{clock: c, rank: rank, hold: holdLimit, wake: make(chan struct{}), dirty: map[relation.ID]time.Time{},
		order: map[int][]relation.ID{}, ranks: map[relation.ID]int{}, chain: map[relation.ID]int{}, inFlight: map[relation.ID]handed{},
		Later: map[relation.ID]delayed{}, failures: map[relation.ID]int{}}
}

// changed wakes everyone who waits. Must be called with the lock held.
func (q *Queue) changed() {
	close(q.wake)
	q.wake = make(chan struct{})
}

// Woken returns a channel that is closed when something changes.
func (q *Queue) Woken() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.wake
}

// Nudge wakes everyone who waits: something else than the queue has changed.
func (q *Queue) Nudge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed()
}

// Add makes objects dirty because of something that is not a write of our own.
func (q *Queue) Add(ids ...relation.ID) { q.AddAfter(0, ids...) }

// AddAfter makes objects dirty. chain is how many of our own writes in a row led to it; of several causes the shortest chain counts.
func (q *Queue) AddAfter(chain int, ids ...relation.ID) {
	if len(ids) == 0 {
		return
	}
	ranks := make([]int, len(ids))
	for i, id := range ids {
		ranks[i] = q.rank(id)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.clock.Now()
	for i, id := range ids {
		_, there := q.dirty[id]
		if before, chained := q.chain[id]; chain == 0 || there && !chained {
			delete(q.chain, id)
		} else if !there || chain < before {
			q.chain[id] = chain
		}
		if there && q.ranks[id] == ranks[i] {
			continue
		} else if !there {
			q.dirty[id] = now
			q.grown++
		}
		q.ranks[id] = ranks[i]
		q.order[ranks[i]] = append(q.order[ranks[i]], id)
	}
	q.changed()
}

// AddAt makes an object dirty at a time; of several times the first counts.
func (q *Queue) AddAt(id relation.ID, at time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if old, there := q.Later[id]; there {
		if !at.Before(old.At) {
			return
		}
		old.Timer.Stop()
	}
	wait := max(at.Sub(q.clock.Now()), 0)
	q.Later[id] = delayed{at, q.clock.AfterFunc(wait, func() { go q.due(id) })} // a fake clock calls with its lock held
}

// due makes an object dirty whose time has come.
func (q *Queue) due(id relation.ID) {
	q.mu.Lock()
	delete(q.Later, id)
	q.mu.Unlock()
	q.Add(id)
}

// Retry makes an object dirty again after a delay that doubles with each failure in a row, up to a limit.
func (q *Queue) Retry(id relation.ID, limit time.Duration) {
	q.mu.Lock()
	n := q.failures[id]
	q.failures[id]++
	now := q.clock.Now()
	q.mu.Unlock()
	q.AddAt(id, now.Add(min(100*time.Millisecond<<min(n, 10), limit)))
}

// Forget ends a row of failures.
func (q *Queue) Forget(id relation.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failures[id] > 0 {
		delete(q.failures, id)
		q.changed()
	}
}

// Get waits for an object to judge; false when the context or the queue ends. done must be called for it.
func (q *Queue) Get(ctx context.Context) (relation.ID, bool) {
	for {
		q.mu.Lock()
		if q.closed || ctx.Err() != nil {
			q.mu.Unlock()
			return relation.ID{}, false
		}
		wake := q.wake
		q.mu.Unlock()
		id, wait := q.TryGet()
		if wait < 0 {
			return id, true
		}
		var timer <-chan time.Time
		if wait > 0 {
			t := q.clock.NewTimer(wait)
			defer t.Stop()
			timer = t.C()
		}
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer:
		}
	}
}

// TryGet picks the object to hand out, without waiting: wait is negative with one, otherwise how long to wait for one that is held back (0:
// until something changes).
func (q *Queue) TryGet() (_ relation.ID, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lowest := q.above(-1) // rank below which nothing is dirty or being judged
	for _, h := range q.inFlight {
		lowest = min(lowest, h.rank)
	}
	for rank := q.above(-1); rank < noRank; rank = q.above(rank) {
		list := q.order[rank]
		var kept []relation.ID
		for len(list) > 0 {
			id := list[0]
			list = list[1:]
			since, dirty := q.dirty[id]
			if !dirty || q.ranks[id] != rank {
				continue // handed out, or moved to another rank
			}
			left := q.hold - q.clock.Since(since)
			held := rank > lowest && left > 0
			if held && (wait == 0 || left < wait) {
				wait = left
			}
			if _, flying := q.inFlight[id]; flying || held {
				kept = append(kept, id)
				continue
			}
			if len(kept) > 0 {
				list = append(kept, list...)
			}
			q.order[rank] = list
			q.inFlight[id] = handed{q.ranks[id], q.chain[id]}
			delete(q.dirty, id)
			delete(q.ranks, id)
			delete(q.chain, id)
			return id, -1
		}
		if q.order[rank] = kept; len(kept) == 0 {
			delete(q.order, rank)
		}
	}
	return relation.ID{}, wait
}

// Begin starts the pass over an object that was handed out: a change until now is part of this pass.
func (q *Queue) Begin(id relation.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, again := q.dirty[id]; !again {
		return
	}
	h := q.inFlight[id]
	h.chain = min(h.chain, q.chain[id])
	q.inFlight[id] = h
	delete(q.dirty, id)
	delete(q.ranks, id)
	delete(q.chain, id)
}

const noRank = 1 << 30

// above returns the next rank that has entries.
func (q *Queue) above(rank int) int {
	next := noRank
	for r := range q.order {
		if r > rank {
			next = min(next, r)
		}
	}
	return next
}

// Chained returns how many of our own writes in a row led to the judgement of an object that is being judged.
func (q *Queue) Chained(id relation.ID) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.inFlight[id].chain
}

// Done ends the judgement of an object.
func (q *Queue) Done(id relation.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.inFlight, id)
	if len(q.dirty) == 0 && q.grown > roomy { // a map never shrinks, and the first list makes this one large
		q.dirty, q.ranks, q.order, q.grown = map[relation.ID]time.Time{}, map[relation.ID]int{}, map[int][]relation.ID{}, 0
	}
	q.changed()
}

// Drop forgets an object that is gone.
func (q *Queue) Drop(id relation.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.dirty, id)
	delete(q.ranks, id)
	delete(q.chain, id)
	delete(q.failures, id)
	if d, ok := q.Later[id]; ok {
		d.Timer.Stop()
		delete(q.Later, id)
	}
	q.changed()
}

// Idle reports whether nothing is dirty or being judged, and no failed object waits to be tried again. Objects that only wait for a
// time do not count.
func (q *Queue) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.dirty)+len(q.inFlight)+len(q.failures) == 0
}

// Length counts the dirty objects.
func (q *Queue) Length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.dirty)
}

// Close ends the queue.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, d := range q.Later {
		d.Timer.Stop()
	}
	q.changed()
}

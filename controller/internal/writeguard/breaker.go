// SPDX-License-Identifier: Apache-2.0

package writeguard

import (
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/wire"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// The limits of writing against resistance. With them an object whose derived conditions another writer changes every time is written at
// most eight times in the first hour and once in each hour after it.
const (
	// FreeReverts is how many reverted writes are repeated at once: a person may have edited a status by hand.
	FreeReverts = 2
	// firstPause follows the next one; each one after that doubles the pause.
	firstPause = time.Minute
	// maxPause is the longest pause.
	maxPause = time.Hour
	// FreeRewrites is how often an object may be written in answer to the controller's own writes, without anything else having changed.
	FreeRewrites = 8
)

// breaker is the state of one object whose writes do not last.
type breaker struct {
	strikes int       // reverted writes in a row
	Until   time.Time // nothing is written before
	written time.Time // the last write, if it was not reverted; zero: none since the last strike
	By      string    // who reverts, where the managed fields say it
	Circle  bool      // no other writer reverts: the controller's own writes make it write again
	open    bool      // it was reported
}

// pause is how long to wait after so many strikes beyond the free ones.
func pause(beyond int) time.Duration {
	if beyond <= 0 {
		return 0
	}
	return min(firstPause<<min(beyond-1, 10), maxPause)
}

// Breakers stop writes that do not last. An object without an entry was never reverted, or not for a long time.
type Breakers struct {
	mu      sync.Mutex
	byID    map[relation.ID]*breaker
	changed map[relation.ID]string // derived conditions that other writers changed since the last pass, and who
	flying  map[relation.ID]flight // writes that are not answered
	streaks map[relation.ID]streak
	tried   map[relation.ID][]conditions.Condition // of a write that failed: the server may have done it anyway
}

// flight is the last sight of an object while a write to it was under way.
type flight struct {
	version, by string // of a change of its derived conditions
	latest      string // version of any change
}

// streak counts the writes of an object of which each came later in one chain of the controller's own writes than the one before.
type streak struct{ hops, n int }

// NewBreakers returns the breakers of a controller, all closed.
func NewBreakers() *Breakers {
	return &Breakers{byID: map[relation.ID]*breaker{}, changed: map[relation.ID]string{}, flying: map[relation.ID]flight{},
		streaks: map[relation.ID]streak{}, tried: map[relation.ID][]conditions.Condition{}}
}

// Saw notes a version of an object that a watch has shown, and whether its derived conditions had changed, to which and by whom. It reports
// whether a write to the object is under way: then that may be the write itself, which a watch often shows before the write is answered.
func (b *Breakers) Saw(id relation.ID, version string, changed bool, derived []any, by string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen, flying := b.flying[id]
	if changed && !b.isOwn(id, derived) {
		if seen.version, seen.by = version, by; !flying {
			b.changed[id] = by
		}
	}
	if seen.latest = version; flying {
		b.flying[id] = seen
	}
	return flying
}

// Failed notes the conditions of a write that failed. An API server may have done it before it failed, and these conditions are then
// no change by another writer.
func (b *Breakers) Failed(id relation.ID, own []conditions.Condition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried[id] = own
}

// isOwn reports whether the derived conditions in seen were sent by a write of ours that failed.
func (b *Breakers) isOwn(id relation.ID, seen []any) bool {
	own, failed := b.tried[id]
	if !failed {
		return false
	}
	list, _ := wire.FromUnstructured(seen)
	return len(list) == len(own) && !slices.ContainsFunc(list, func(one conditions.Condition) bool {
		i := conditions.Find(own, one.Type)
		return i < 0 || own[i].Status != one.Status || own[i].Reason != one.Reason || own[i].Message != one.Message
	})
}

// Begin notes that a write is under way: a change of the object that is seen until it ends may be the write itself.
func (b *Breakers) Begin(id relation.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying[id] = flight{}
}

// End notes the answer to a write: the version that was written, empty where it is not known. It returns when to look whether the write
// persists, zero for an object that was never reverted; and whether the object was seen in another version since the write began.
func (b *Breakers) End(id relation.ID, version string, hops int, now time.Time) (look time.Time, otherwise bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := b.flying[id]
	delete(b.flying, id)
	if version == "" {
		return time.Time{}, false
	}
	delete(b.tried, id)
	if seen.version != "" && seen.version != version {
		b.changed[id] = seen.by
	}
	switch s := b.streaks[id]; {
	case hops > s.hops:
		b.streaks[id] = streak{hops, s.n + 1}
	case hops == 0:
		delete(b.streaks, id)
	default:
		b.streaks[id] = streak{hops: hops}
	}
	if e := b.byID[id]; e != nil {
		e.written = now
		look = now.Add(maxPause + time.Second)
	}
	return look, seen.latest != "" && seen.latest != version
}

// over reports whether the last write has stood for so long that the row of strikes ends.
func (e *breaker) over(now time.Time) bool {
	return !e.written.IsZero() && now.Sub(e.written) > maxPause
}

// Ask reports until when an object must not be written; zero: now it may. opened is the breaker where that has to be reported. hops is
// how many of the controller's own writes in a row led to this one.
func (b *Breakers) Ask(id relation.ID, now time.Time, hops int) (until time.Time, opened *breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byID[id]
	if e != nil && e.over(now) {
		delete(b.byID, id)
		e = nil
	}
	by, foreign := b.changed[id]
	delete(b.changed, id)
	s, free := b.streaks[id], FreeRewrites
	if e != nil && e.Circle {
		free = 1 // it had its tries
	}
	circle := !foreign && hops > s.hops && s.n >= free
	switch {
	case !foreign && !circle, e != nil && e.written.IsZero(): // nothing new against it
	case e == nil:
		e = &breaker{}
		b.byID[id] = e
		fallthrough
	default:
		e.strikes++
		e.By, e.Circle, e.written = by, circle, time.Time{}
		if circle {
			e.strikes = max(e.strikes, FreeReverts+1)
			delete(b.streaks, id)
		}
		e.Until = now.Add(pause(e.strikes - FreeReverts))
	}
	if e == nil || !now.Before(e.Until) {
		return time.Time{}, nil
	}
	if !e.open {
		e.open = true
		copied := *e
		opened = &copied
	}
	return e.Until, opened
}

// Settled notes that an object is as it should be. It reports whether a breaker that was open is closed for good.
func (b *Breakers) Settled(id relation.ID, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.changed, id)
	delete(b.tried, id)
	e := b.byID[id]
	if e == nil || !e.over(now) {
		return false
	}
	delete(b.byID, id)
	return e.open
}

// Forget drops an object that is gone.
func (b *Breakers) Forget(id relation.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byID, id)
	delete(b.changed, id)
	delete(b.streaks, id)
	delete(b.tried, id)
}

// Open returns the objects that are not written for now, and until when.
func (b *Breakers) Open() map[relation.ID]breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[relation.ID]breaker{}
	for id, e := range b.byID {
		if e.open {
			out[id] = *e
		}
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
)

// put makes the row of an object that was judged. The lock must be held.
func (s *Source) put(o *relation.Object, j relation.Judgement) {
	if !s.mine(o.ID) {
		return
	}
	if !s.roots.Has(o.ID) {
		s.roots.Forget(o.ID)
		s.roots.LookAt(o.ID, j)
	}
	old := s.current(o.ID)
	fresh := s.rowOf(o, j)
	if old != nil {
		fresh.cause, fresh.Flapping = old.cause, old.Flapping && s.flaps(o.ID, s.fleet.now().Unix())
		if old.same(fresh) {
			return
		}
		if s.before == nil {
			s.compare(o, old, fresh)
		}
	}
	s.change(old, fresh)
}

// remove drops the row of an object that is gone.
func (s *Source) remove(id relation.ID) {
	delete(s.flips, id)
	if old := s.current(id); old != nil {
		s.change(old, nil)
	}
}

// change replaces a row.
func (s *Source) change(was, is *Row) {
	s.blame.stale = true
	now := s.fleet.now()
	moved := was == nil || is == nil || was.Verdict != is.Verdict || was.Reason != is.Reason
	switch {
	case s.before != nil: // see finish
	case is == nil:
		s.record(history.Record{At: now, Kind: history.Verdict, Object: was.ID, Was: string(was.Verdict)})
	case was == nil:
		s.record(history.Record{At: now, Kind: history.Verdict, Object: is.ID, Is: string(is.Verdict), Reason: is.Reason, Message: is.Message,
			Since: is.Since()})
	case moved:
		s.record(history.Record{At: now, Kind: history.Verdict, Object: is.ID, Was: string(was.Verdict), Is: string(is.Verdict),
			Reason: is.Reason, Message: is.Message, Since: is.Since()})
		if was.Verdict != is.Verdict {
			is.Flapping = s.flapped(is.ID, now.Unix())
		}
	}
	s.pending = append(s.pending, change{Was: was, Is: is})
	if is != nil {
		s.latest[is.ID] = is
	} else {
		s.latest[was.ID] = nil
	}
	if len(s.pending) >= 1000 {
		s.flush()
	}
}

// mostFlips is how often a verdict may change within flapTime, in seconds, before it is marked.
const (
	mostFlips = 4
	flapTime  = 600
)

// flapped notes a change of a verdict, and reports whether there were many of late.
func (s *Source) flapped(id relation.ID, now int64) bool {
	list := slices.DeleteFunc(s.flips[id], func(at int64) bool { return now-at > flapTime })
	if list = append(list, now); len(list) > 16 {
		list = list[len(list)-16:]
	}
	s.flips[id] = list
	return s.flaps(id, now)
}

// flaps reports whether a verdict changed many times of late; then it is looked at again when that is no longer so.
func (s *Source) flaps(id relation.ID, now int64) bool {
	list := s.flips[id]
	if len(list) < mostFlips || now-list[len(list)-mostFlips] > flapTime {
		return false
	}
	calm := list[len(list)-mostFlips] + flapTime + 1
	s.roots.Look(id, time.Unix(calm, 0))
	return true
}

// current returns the row of an object with what was not passed to the fleet yet; nil without one.
func (s *Source) current(id relation.ID) *Row {
	if r, pending := s.latest[id]; pending {
		return r
	}
	return s.fleet.Get(s, id)
}

// flush passes the changed rows to the fleet.
func (s *Source) flush() {
	changes := s.pending
	s.pending = nil
	clear(s.latest)
	s.fleet.set(changes)
}

// compare records the conditions that differ between two rows of an object.
func (s *Source) compare(o *relation.Object, old, fresh *Row) {
	if old.conditions == fresh.conditions || s.Store == nil || s.whole != nil { // the whole records them
		return
	}
	before := map[string]string{}
	for _, entry := range parted(old.conditions) {
		kind, state, _ := strings.Cut(entry, "=")
		before[kind] = state
	}
	now := s.fleet.now()
	for _, c := range listed(o) {
		was, known := before[c.kind]
		delete(before, c.kind)
		if known && was == c.status+"="+c.reason {
			continue
		}
		status, _, _ := strings.Cut(was, "=")
		s.record(history.Record{At: now, Kind: history.Condition, Object: o.ID, Type: c.kind, Was: status, Is: c.status, Reason: c.reason,
			Message: c.message, Since: c.since})
	}
	for _, kind := range slices.Sorted(maps.Keys(before)) {
		status, _, _ := strings.Cut(before[kind], "=")
		s.record(history.Record{At: now, Kind: history.Condition, Object: o.ID, Type: kind, Was: status})
	}
}

// finish ends the first read: it records what is unhealthy, and what differs from the last run.
func (s *Source) finish() {
	now := s.fleet.now()
	s.flush()
	var rows []*Row
	s.fleet.mu.RLock()
	for k, r := range s.fleet.rows {
		if k.source == s {
			rows = append(rows, r)
		}
	}
	s.fleet.mu.RUnlock()
	slices.SortFunc(rows, byName)
	for _, r := range rows {
		was, known := s.before[r.ID]
		delete(s.before, r.ID)
		is := string(r.Verdict)
		if known && was == is && r.Fine() || !known && r.Fine() {
			continue
		}
		source := history.First
		if known && was != is {
			source = history.Gap
		}
		s.record(history.Record{At: now, Kind: history.Verdict, Source: source, Object: r.ID, Was: cmp.Or(was, is), Is: is,
			Reason: r.Reason, Message: r.Message, Since: r.Since()})
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.before), relation.Compare) {
		s.record(history.Record{At: now, Kind: history.Verdict, Source: history.Gap, Object: id, Was: s.before[id]})
	}
	s.before = nil
}

// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
)

// quiet is how long changes are collected before they are judged, rediscover how often the types of a cluster are asked for again, and
// alive how often the history notes that it goes on.
const (
	quiet      = 200 * time.Millisecond
	rediscover = time.Minute
	alive      = 30 * time.Second
)

// Follow keeps the rows up to date by watches until the context ends.
func (s *Source) Follow(ctx context.Context) {
	s.mu.Lock()
	s.cache = s.Cluster.Cache(ctx, s.walk)
	s.cache.Partial = s.Light
	s.mu.Unlock()
	discover := func() {
		types := s.Types(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, q := range types {
			if q.Namespace, q.Selector = s.Cluster.Namespace, s.Cluster.Selector; s.followed[q] {
				continue
			}
			s.followed[q] = true
			s.targets[s.cache.Add(q)] = true
		}
	}
	discover()
	if s.Catalogs != nil {
		s.mu.Lock()
		s.held = s.cache.Add(cluster.Query{Type: catalogType})
		s.mu.Unlock()
	}
	rediscovery, living := time.NewTicker(rediscover), time.NewTicker(alive)
	defer rediscovery.Stop()
	defer living.Stop()
	var settle, due <-chan time.Time
	var discovering atomic.Bool
	again := func() {
		if discovering.CompareAndSwap(false, true) {
			go func() {
				defer discovering.Store(false)
				s.Cluster.Served.Reset()
				discover()
			}()
		}
	}
	round := func() {
		began := s.fleet.now()
		s.came(began)
		s.mu.Lock()
		others := s.reload()
		found := s.rediscover
		s.rediscover = false
		s.mu.Unlock()
		if s.reread(ctx, others); found {
			again()
		}
		due = s.round()
		if s.came(time.Time{}); len(s.cache.Events) > 0 {
			s.came(began) // they came at any time since then
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-s.cache.Events:
			if !ok {
				return
			}
			s.came(s.fleet.now())
			s.mu.Lock()
			s.take(e)
			answered := s.cache.Answered()
			s.mu.Unlock()
			if settle == nil && answered {
				settle = time.After(quiet)
			}
		case <-settle:
			settle = nil
			round()
		case <-due:
			round()
		case <-living.C:
			s.record(history.Record{Kind: history.Alive, At: s.fleet.now()})
		case <-rediscovery.C:
			again()
		}
		if s.Store != nil {
			s.Store.Sync()
		}
	}
}

// take handles an event. The lock must be held.
func (s *Source) take(e cluster.Event) {
	if e.Query == s.held && s.takeCatalog(e) {
		return
	}
	target := s.targets[e.Query]
	if s.Light && target && e.Object != nil && !s.mine(e.Object.ID) {
		return // another shard has it
	}
	if s.Light && target && e.Object != nil && s.alone(e.Object) {
		s.put(e.Object, s.walk.Judgement(e.Object))
		if s.roots[e.Object.ID] {
			delete(s.roots, e.Object.ID)
			s.cache.Take(cluster.Event{Query: e.Query, Gone: e.Object.ID, Mapping: e.Mapping})
		}
		return
	}
	s.cache.Take(e)
	switch {
	case e.Object != nil && target && s.mine(e.Object.ID):
		id := e.Object.ID
		s.roots[id], s.dirty[id] = true, true
		delete(s.counted, id)
		delete(s.widened, id)
		if s.reads(e.Object) {
			s.counted[id] = true
		}
	case e.Object != nil:
	case e.Gone.Name != "" && target:
		delete(s.roots, e.Gone)
		delete(s.counted, e.Gone)
		delete(s.widened, e.Gone)
		s.dirty[e.Gone] = true
	case e.Gone.Name != "":
	default:
		s.answered(e)
	}
}

// reads reports whether the verdict about an object reads others.
func (s *Source) reads(o *relation.Object) bool {
	if s.walk.Judge == nil {
		s.walk.Judge = s.Judge()
	}
	return relation.ByEndpoints(o) || s.walk.Judge(o).Counting != nil
}

// alone reports whether an object need not be kept to be judged again: its verdict reads no other, and time does not change it other than
// by its budget.
func (s *Source) alone(o *relation.Object) bool {
	return !s.reads(o) && s.walk.Judge(o).NextLook.IsZero()
}

// answered handles the state of a query.
func (s *Source) answered(e cluster.Event) {
	now := s.fleet.now()
	resource := ""
	if e.Mapping != nil {
		resource = e.Mapping.Resource.GroupResource().String()
	}
	s.state.Lock()
	before := s.since
	switch e.State {
	case cluster.Unreachable:
		if s.lost[e.Query] = true; s.since.IsZero() {
			s.since, s.why = now, e.Why
		}
	default:
		if delete(s.lost, e.Query); len(s.lost) == 0 {
			s.since, s.why = time.Time{}, ""
		}
	}
	if s.targets[e.Query] && e.Mapping != nil {
		s.kinds[e.Mapping.GroupVersionKind.GroupKind()] = true
	}
	name := resource
	if e.State == cluster.Forbidden {
		s.unread[name] = render.Problem{Reason: string(cluster.Forbidden), Resource: resource, Namespace: s.Cluster.Namespace, Message: e.Why}
	} else if e.State == cluster.Served {
		delete(s.unread, name)
	}
	after := s.since
	s.state.Unlock()
	switch {
	case before.IsZero() && !after.IsZero():
		s.record(history.Record{Kind: history.Lost, At: now, Message: e.Why})
		s.progress("")
		s.beat()
	case !before.IsZero() && after.IsZero():
		s.record(history.Record{Kind: history.Regained, At: now})
		s.progress("")
		s.beat()
	}
}

// beat makes streams send the state of the sources.
func (s *Source) beat() {
	s.fleet.mu.Lock()
	defer s.fleet.mu.Unlock()
	s.fleet.causes++
	s.fleet.wake()
}

// round judges what changed, and returns a channel for the time of the next round, at which time alone changes a verdict.
func (s *Source) round() <-chan time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock()
	s.walk.Judge = s.Judge()
	if s.cache != nil {
		s.widen()
	}
	for id, at := range maps.Clone(s.due) {
		if at > now.Unix() {
			continue
		}
		if delete(s.due, id); s.roots[id] {
			s.dirty[id] = true
		} else {
			s.late(id, now)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.dirty), relation.Compare) { // changes of one time are in the same order for everyone
		if o := s.Graph.Get(id); o != nil && s.roots[id] {
			s.put(o, s.walk.Judgement(o))
		} else {
			s.remove(id)
		}
	}
	clear(s.dirty)
	complete := s.cache == nil || s.cache.Answered()
	if s.whole != nil {
		complete = s.whole.Ready()
	}
	if s.before != nil && complete {
		s.finish()
	}
	s.flush()
	next := int64(0) // also of what was judged just now
	for _, at := range s.due {
		if next == 0 || at < next {
			next = at
		}
	}
	if complete && !s.Light {
		if wait := s.explain(); wait > 0 && (next == 0 || now.Add(wait).Unix() < next) {
			next = now.Add(wait).Unix() + 1
		}
		s.flush()
	}
	if complete {
		phase := "live"
		if s.cache == nil {
			phase = "ended"
		}
		s.progress(phase)
	}
	if next == 0 {
		return nil
	}
	return time.After(max(time.Unix(next, 0).Sub(now), quiet))
}

// late brings the row of an object that is not kept up to date: it is overdue once its budget is over, and flaps no longer once it was calm
// for a while.
func (s *Source) late(id relation.ID, now time.Time) {
	r := s.current(id)
	if r == nil {
		return
	}
	fresh := *r
	fresh.Overdue = r.Overdue || r.due != 0 && now.Unix() >= r.due
	fresh.Flapping = r.Flapping && s.flaps(id, s.fleet.now().Unix())
	if fresh != *r {
		s.change(r, &fresh)
	}
	if r.due > now.Unix() && (s.due[id] == 0 || s.due[id] > r.due) {
		s.due[id] = r.due
	}
}

// widen follows the kinds of children that count, and marks the objects whose verdicts may have changed with them.
func (s *Source) widen() {
	children, all := s.cache.Changes()
	s.walk.Counting = true
	affected := s.walk.Affected(children)
	if all {
		affected = slices.Collect(maps.Keys(s.counted))
	}
	for _, id := range affected {
		if delete(s.widened, id); s.roots[id] {
			s.dirty[id] = true
		}
	}
	var ids []relation.ID
	for id := range s.counted {
		if !s.widened[id] {
			ids, s.widened[id] = append(ids, id), true
		}
	}
	if len(ids) > 0 {
		s.cache.Widen(ids)
	}
	s.walk.Counting = false
	if len(children) > 0 || all {
		s.blame.stale = true
	}
}

// Sync makes the objects of a source without a cluster those of the argument.
func (s *Source) Sync(objects []*relation.Object) {
	s.mu.Lock()
	there := map[relation.ID]bool{}
	for _, o := range objects {
		s.kinds[o.GroupKind] = true
		there[o.ID] = true
		if old := s.Graph.Get(o.ID); old != nil && s.roots[o.ID] && old.ResourceVersion != "" && old.ResourceVersion == o.ResourceVersion {
			s.dirty[o.ID] = s.dirty[o.ID] || s.counted[o.ID]
			continue
		}
		s.Graph.Put(o)
		s.roots[o.ID], s.dirty[o.ID] = true, true
	}
	for id := range s.roots {
		if !there[id] {
			s.Graph.Delete(id)
			delete(s.roots, id)
			s.dirty[id] = true
		} else if s.reads(s.Graph.Get(id)) {
			s.counted[id], s.dirty[id] = true, true
		}
	}
	s.mu.Unlock()
	s.round()
}

// Take makes the objects that are in the graph already, as those of files, those of the source.
func (s *Source) Take(ids []relation.ID) {
	s.mu.Lock()
	for _, id := range ids {
		s.roots[id], s.dirty[id], s.kinds[id.GroupKind] = true, true, true
	}
	s.mu.Unlock()
	s.round()
}

// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"context"
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
	s.roots.Cache = s.Cluster.Cache(ctx, s.walk)
	s.roots.Cache.Partial = s.Light
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
			s.targets[s.roots.Cache.Add(q)] = true
		}
	}
	discover()
	if s.Catalogs != nil {
		s.mu.Lock()
		s.held = s.roots.Cache.Add(cluster.Query{Type: s.Catalogs.Type})
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
		if s.came(time.Time{}); len(s.roots.Cache.Events) > 0 {
			s.came(began) // they came at any time since then
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-s.roots.Cache.Events:
			if !ok {
				return
			}
			s.came(s.fleet.now())
			s.mu.Lock()
			s.take(e)
			answered := s.roots.Cache.Answered()
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
	if e.Query == s.held && s.Catalogs.Take(e) {
		s.recatalog = true // the next round judges by it
		return
	}
	target := s.targets[e.Query]
	if s.Light && target && e.Object != nil {
		id := e.Object.ID
		if !s.mine(id) {
			return // another shard has it
		}
		s.renew()
		if j := s.walk.Judgement(e.Object); !s.walk.Reads(id) && j.NextLook.IsZero() { // it need not be kept
			if s.roots.Has(id) {
				s.roots.Take(cluster.Event{Query: e.Query, Gone: id, Mapping: e.Mapping}, false)
				s.roots.Forget(id)
			}
			s.put(e.Object, j)
			return
		}
	}
	id := e.Gone
	if e.Object != nil {
		id = e.Object.ID
	}
	if s.roots.Take(e, target && s.mine(id)) && id.Name == "" {
		s.answered(e)
	}
}

// renew makes a light source judge by the catalogs and the time of its first event after a round.
func (s *Source) renew() {
	if s.walk.Judge == nil {
		s.walk.Renew(s.Judge())
	}
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
	for _, id := range s.roots.Late(now) {
		s.late(id, now)
	}
	changed := s.roots.Round(now, s.Judge(), func(id relation.ID, o *relation.Object, j relation.Judgement) {
		if o == nil {
			s.remove(id)
		} else {
			s.put(o, j)
		}
	})
	s.blame.stale = s.blame.stale || changed
	complete := s.roots.Cache == nil || s.roots.Cache.Answered()
	if s.whole != nil {
		complete = s.whole.Ready()
	}
	if s.before != nil && complete {
		s.finish()
	}
	s.flush()
	next := s.roots.Next() // also of what was judged just now
	if complete && !s.Light {
		if wait := s.explain(); wait > 0 {
			next = relation.Earliest(next, now.Add(wait))
		}
		s.flush()
	}
	if complete {
		phase := "live"
		if s.roots.Cache == nil {
			phase = "ended"
		}
		s.progress(phase)
	}
	s.walk.Release()
	if s.Light { // what comes after the round is judged when it comes
		s.walk.Renew(nil)
	}
	if next.IsZero() {
		return nil
	}
	return time.After(max(next.Sub(now), quiet))
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
	if r.due > now.Unix() {
		s.roots.Look(id, time.Unix(r.due, 0))
	}
}

// Sync makes the objects of a source without a cluster those of the argument.
func (s *Source) Sync(objects []*relation.Object) {
	s.mu.Lock()
	there, changed := map[relation.ID]bool{}, []relation.ID{}
	for _, o := range objects {
		s.kinds[o.GroupKind] = true
		there[o.ID] = true
		if old := s.Graph.Get(o.ID); old != nil && s.roots.Has(o.ID) && old.ResourceVersion != "" && old.ResourceVersion == o.ResourceVersion {
			continue
		}
		s.Graph.Put(o)
		s.roots.Put(o.ID)
		changed = append(changed, o.ID)
	}
	for _, id := range s.roots.IDs() {
		if !there[id] {
			s.Graph.Delete(id)
			s.roots.Remove(id)
			changed = append(changed, id)
		}
	}
	s.roots.Changed(s.walk.Affected(changed))
	s.mu.Unlock()
	s.round()
}

// Take makes the objects that are in the graph already, as those of files, those of the source.
func (s *Source) Take(ids []relation.ID) {
	s.mu.Lock()
	for _, id := range ids {
		s.kinds[id.GroupKind] = true
		s.roots.Put(id)
	}
	s.mu.Unlock()
	s.round()
}

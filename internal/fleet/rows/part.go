// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// May reports whether a reader may list the objects of a kind in a namespace; the empty namespace means all, and is the only one of
// cluster-scoped kinds. It is asked many times, by several goroutines, and has to remember its answers.
type May func(s *Source, kind schema.GroupKind, namespace string) bool

// Rights decide which objects a reader may list. The zero value lets the reader see everything.
type Rights struct {
	Key string // the same for equal readers: a name with everything that decides about May
	May May    // nil: everything
}

// The limits of parts.
const (
	mostParts = 200       // fleets of readers that are kept; the one that was used longest ago is dropped
	partStore = 512 << 10 // bytes of the history of one part, in memory
	atOnce    = 32        // rights that are asked for at a time
)

// As returns the fleet that a reader sees: one that holds the objects that the reader may list and nothing else, so that no verdict, cause,
// count, sequence or text of it depends on another object. It is brought up to date by this call. Its history begins with the first call.
func (f *Fleet) As(r Rights) *Fleet {
	if r.May == nil {
		return f
	}
	f.partly.Lock()
	p := f.parts[r.Key]
	if p == nil {
		if len(f.parts) >= mostParts {
			delete(f.parts, slices.MinFunc(slices.Collect(maps.Keys(f.parts)), func(a, b string) int {
				return f.parts[a].used.Compare(f.parts[b].used)
			}))
		}
		p = New(f.now)
		p.whole = f
		f.parts[r.Key] = p
	}
	p.used = time.Now()
	f.partly.Unlock()
	p.partly.Lock()
	defer p.partly.Unlock()
	for _, s := range f.Sources() {
		own := p.Source(s.Name)
		if own == nil {
			own = p.part(s)
		}
		own.rights.Store(&r.May)
		own.copy()
	}
	return p
}

// part adds the part of a source.
func (f *Fleet) part(whole *Source) *Source {
	o := whole.Options
	o.Graph, o.Catalogs, o.Types = whole.Graph.Part(), nil, nil
	o.Store = history.Open("", history.Options{MaxBytes: partStore, Now: f.now})
	s := f.Add(o)
	s.whole = whole
	if o.Cluster != nil {
		o.Graph.Partial()
		s.walk.Candidates = o.Cluster.Candidates
	}
	return s
}

// may reports whether the reader of the source may list a kind in a namespace.
func (s *Source) may(kind schema.GroupKind, namespace string) bool {
	may := s.rights.Load()
	return may == nil || (*may)(s.whole, kind, namespace)
}

// copy brings a part up to date with the whole: by the objects that the reader may see, and by time.
func (s *Source) copy() {
	for range 8 { // what is unhealthy leads to further kinds
		if !s.copyOnce() {
			return
		}
	}
}

// copyOnce reports whether objects of further kinds are wanted.
func (s *Source) copyOnce() bool {
	places := s.places()
	s.mu.Lock()
	if set := s.whole.Graph.Set(); s.Graph.Set() != set {
		s.Graph.Use(set)
		s.roots.Again()
	}
	changed, covered := s.Graph.Copy(s.whole.Graph, places)
	targets := s.whole.targetKinds()
	for _, id := range changed {
		if targets[id.GroupKind] && s.whole.mine(id) {
			if s.Graph.Get(id) == nil {
				s.roots.Remove(id)
			} else {
				s.roots.Put(id)
			}
		}
	}
	if s.roots.Changed(s.walk.Affected(changed)); covered {
		s.roots.Changed(s.roots.Readers())
	}
	if s.Light {
		s.copyRows(places)
	}
	s.blame.stale = s.blame.stale || len(changed) > 0 || covered
	s.mu.Unlock()
	s.round()
	return s.want(nil)
}

// copyRows takes the rows of objects that the whole does not keep: their verdicts depend on no other object.
func (s *Source) copyRows(places map[relation.ID]bool) {
	there := map[relation.ID]bool{}
	for _, r := range s.whole.rows() {
		if s.roots.Has(r.ID) || !places[relation.ID{GroupKind: r.GroupKind, Namespace: r.Namespace}] || s.whole.Graph.Get(r.ID) != nil {
			continue
		}
		there[r.ID] = true
		fresh := *r
		if fresh.source = s; r.owner.Name != "" && !s.may(r.owner.GroupKind, r.owner.Namespace) {
			fresh.owner = relation.ID{}
		}
		if old := s.current(r.ID); old == nil || !old.same(&fresh) {
			s.change(old, &fresh)
		}
	}
	for _, r := range s.rows() {
		if !there[r.ID] && !s.roots.Has(r.ID) {
			s.remove(r.ID)
		}
	}
}

// rows returns the rows of a source.
func (s *Source) rows() (out []*Row) {
	s.fleet.mu.RLock()
	defer s.fleet.mu.RUnlock()
	for k, r := range s.fleet.rows {
		if k.source == s {
			out = append(out, r)
		}
	}
	return out
}

// want makes the whole follow the kinds that some objects of a part lead to, as far as the reader may list them; nil means the unhealthy
// ones. It reports whether a kind was not wanted before.
func (s *Source) want(ids []relation.ID) (more bool) {
	s.mu.Lock()
	if ids == nil {
		for _, id := range s.roots.IDs() {
			if r := s.current(id); r != nil && !r.Fine() {
				ids = append(ids, id)
			}
		}
		ids = ids[:min(len(ids), mostFollowed)]
	}
	s.walk.Renew(s.Judge())
	wanted := s.walk.Wanted(ids)
	s.walk.Counting = true
	wanted = append(wanted, s.walk.Wanted(s.roots.Readers())...)
	s.walk.Counting = false
	var list []relation.Want
	for _, w := range wanted {
		if !s.wanted[w.ID] && (s.may(w.GroupKind, "") || w.Namespace != "" && s.may(w.GroupKind, w.Namespace)) {
			s.wanted[w.ID], more = true, true
			list = append(list, w)
		}
	}
	s.mu.Unlock()
	if len(list) == 0 {
		return more
	}
	s.whole.mu.Lock()
	defer s.whole.mu.Unlock()
	if s.whole.roots.Cache != nil {
		s.whole.roots.Cache.Want(list)
	}
	return more
}

// awaitPart waits until the kinds below an object were read, as await does.
func (s *Source) awaitPart(ctx context.Context, id relation.ID) {
	for ctx.Err() == nil && s.want([]relation.ID{id}) {
		for ctx.Err() == nil {
			s.whole.state.Lock()
			progressed := s.whole.progressed
			s.whole.state.Unlock()
			s.whole.mu.Lock()
			done := s.whole.roots.Cache == nil || s.whole.roots.Cache.Read()
			s.whole.mu.Unlock()
			if done {
				break
			}
			select {
			case <-progressed:
			case <-ctx.Done():
			}
		}
		s.fleet.partly.Lock()
		s.copy()
		s.fleet.partly.Unlock()
	}
}

// targetKinds returns the kinds whose objects have rows.
func (s *Source) targetKinds() map[schema.GroupKind]bool {
	s.state.Lock()
	defer s.state.Unlock()
	return maps.Clone(s.kinds)
}

// places returns the kinds in namespaces that a reader sees: of those that have rows, and of those that were wanted.
func (s *Source) places() map[relation.ID]bool {
	kinds := s.whole.targetKinds()
	namespaces := map[schema.GroupKind][]string{}
	for kind := range kinds {
		namespaces[kind] = s.whole.Graph.Namespaces(kind)
	}
	if s.Light {
		for _, r := range s.whole.rows() {
			if list := namespaces[r.GroupKind]; !slices.Contains(list, r.Namespace) {
				namespaces[r.GroupKind] = append(list, r.Namespace)
			}
		}
	}
	s.mu.Lock()
	for w := range s.wanted {
		if kinds[w.GroupKind] {
			continue
		}
		if namespaces[w.GroupKind] = append(namespaces[w.GroupKind], w.Namespace); w.Namespace == "" {
			namespaces[w.GroupKind] = append(namespaces[w.GroupKind], s.whole.Graph.Namespaces(w.GroupKind)...)
		}
	}
	s.mu.Unlock()
	var whole, single []relation.ID
	for kind := range namespaces {
		whole = append(whole, relation.ID{GroupKind: kind})
	}
	out := s.allowed(whole)
	for kind, list := range namespaces {
		for _, namespace := range list {
			if place := (relation.ID{GroupKind: kind, Namespace: namespace}); out[relation.ID{GroupKind: kind}] {
				out[place] = true
			} else if namespace != "" {
				single = append(single, place)
			}
		}
	}
	maps.Copy(out, s.allowed(single))
	return out
}

// allowed returns the places, each a kind in a namespace, that the reader may list. It asks for several at a time.
func (s *Source) allowed(places []relation.ID) map[relation.ID]bool {
	yes := make([]bool, len(places))
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, place := range places {
		slots <- struct{}{}
		wait.Go(func() {
			yes[i] = s.may(place.GroupKind, place.Namespace)
			<-slots
		})
	}
	wait.Wait()
	out := map[relation.ID]bool{}
	for i, place := range places {
		if yes[i] {
			out[place] = true
		}
	}
	return out
}

// hidden returns the kinds whose objects the reader sees only in part, or not at all. It depends on the rights alone.
func (f *Fleet) hidden() []api.Hidden {
	out := []api.Hidden{}
	for _, s := range f.Sources() {
		if s.whole == nil {
			continue
		}
		for kind := range s.whole.targetKinds() {
			if !s.may(kind, "") {
				out = append(out, api.Hidden{Cluster: s.Name, Resource: s.resource(kind)})
			}
		}
	}
	slices.SortFunc(out, func(a, b api.Hidden) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Resource, b.Resource))
	})
	return out
}

// origin returns the source of which s is a part, or s itself: every reader has the same state of the cluster.
func (s *Source) origin() *Source {
	if s.whole != nil {
		return s.whole
	}
	return s
}

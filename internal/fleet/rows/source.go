// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Judge judges one object alone.
type Judge = func(*relation.Object) relation.Judgement

// Options describe a source. Graph and Judge are required.
type Options struct {
	Name   string // of the cluster; empty for the only source
	Server string // its address, for people
	Graph  *relation.Graph
	Judge  func() Judge     // returns the judge for the next round
	Clock  func() time.Time // of the verdicts; nil: that of the fleet
	// Cluster is followed; nil for files and stories, whose objects are passed to Sync.
	Cluster *cluster.Cluster
	// Types returns the types whose objects have rows, by the catalogs of the graph. It is asked again now and then, for types come.
	Types func(context.Context) []cluster.Query
	// Catalogs are those of the cluster, which are followed; nil: the catalogs of the graph stay as they are.
	Catalogs *Catalogs
	// Light keeps no object that no other verdict needs: no trees, no causes, no history of conditions before the row.
	Light bool
	Store *history.Store // nil: nothing is recorded
	// Shard and Shards choose a part of the objects, by a hash of their names; 0 of 0 are all.
	Shard, Shards int
}

// Source is one cluster, the objects of files, or a story.
type Source struct {
	Options
	fleet *Fleet

	mu         sync.Mutex // for the walk, which is for one goroutine at a time
	walk       *relation.View
	roots      *cluster.Roots         // the objects that have rows and are in the graph
	targets    map[int]bool           // the queries whose objects have rows
	followed   map[cluster.Query]bool // the same, by what they ask for
	held       int                    // the query of catalogs; -1: there is none
	recatalog  bool                   // a catalog changed since the last round
	rediscover bool                   // types are to be asked for again
	pending    []change
	latest     map[relation.ID]*Row   // of pending; nil: removed
	before     map[relation.ID]string // verdicts of an earlier run; nil after the first read
	flips      map[relation.ID][]int64
	blame      blame
	warned     warnings
	whole      *Source              // of a part, see [Fleet.As]
	rights     atomic.Pointer[May]  // of the reader of a part; nil: everything
	wanted     map[relation.ID]bool // kinds in namespaces that a part has in addition to those that have rows

	state      sync.Mutex
	phase      string // starting, live, ended or failed
	since      time.Time
	why        string
	lost       map[int]bool
	unread     map[string]render.Problem
	names      map[schema.GroupKind]string
	kinds      map[schema.GroupKind]bool // whose objects have rows
	progressed chan struct{}
	behind     time.Time // when the oldest event came that is not in the rows yet; zero: all are
}

// Add adds a source. One with a cluster has to be followed, see [Source.Follow].
func (f *Fleet) Add(o Options) *Source {
	if o.Clock == nil {
		o.Clock = f.now
	}
	s := &Source{Options: o, fleet: f, targets: map[int]bool{}, followed: map[cluster.Query]bool{}, held: -1, flips: map[relation.ID][]int64{},
		phase:  "starting",
		latest: map[relation.ID]*Row{}, lost: map[int]bool{}, unread: map[string]render.Problem{}, names: map[schema.GroupKind]string{},
		kinds: map[schema.GroupKind]bool{}, wanted: map[relation.ID]bool{},
		progressed: make(chan struct{}), before: lastVerdicts(o.Store)}
	s.walk = &relation.View{Graph: o.Graph, Most: mostInTree, Fine: s.fine}
	s.roots = cluster.NewRoots(s.walk)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sources = append(f.sources, s)
	return s
}

// mostInTree bounds the objects of one tree, each of which is decoded while the tree is in use: some 12 kB.
const mostInTree = 10_000

// fine reports whether an object has a row that is healthy.
func (s *Source) fine(id relation.ID) bool {
	r := s.fleet.Get(s, id)
	return r != nil && r.Fine()
}

// lastVerdicts returns the verdicts that the runs before left behind.
func lastVerdicts(store *history.Store) map[relation.ID]string {
	out := map[relation.ID]string{}
	if store == nil {
		return out
	}
	store.Scan(func(r history.Record) bool {
		if r.Kind == history.Verdict {
			if out[r.Object] = r.Is; r.Is == "" {
				delete(out, r.Object)
			}
		}
		return true
	})
	return out
}

// Clock returns the time by which ages are computed: of the first source.
func (f *Fleet) Clock() time.Time {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if len(f.sources) > 0 {
		return f.sources[0].Clock().UTC()
	}
	return f.now().UTC()
}

// id returns the name of an object as the API has it.
func (s *Source) id(id relation.ID) string { return api.ID{Cluster: s.Name, ID: id}.String() }

// subject names an object as the API has it.
func (s *Source) subject(id relation.ID) api.Subject {
	return api.Subject{ID: s.id(id), Cluster: s.Name, Kind: s.kindName(id.GroupKind), Namespace: id.Namespace, Name: id.Name}
}

// mine reports whether an object is in the shard of the source.
func (s *Source) mine(id relation.ID) bool {
	if s.Shards < 2 {
		return true
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id.String()))
	return int(h.Sum32()%uint32(s.Shards)) == s.Shard
}

// resource returns the resource of a kind as in pods or machines.cluster.x-k8s.io; Kind.group where it is not known.
func (s *Source) resource(kind schema.GroupKind) string {
	if s.Cluster != nil {
		if m, err := s.Cluster.Served.RESTMapping(kind); err == nil {
			return m.Resource.GroupResource().String()
		}
	}
	return kind.String()
}

// Mapping returns the resource of a kind, and whether its objects are in namespaces.
func (s *Source) Mapping(kind schema.GroupKind) (schema.GroupResource, bool, bool) {
	if s.Cluster == nil {
		return schema.GroupResource{}, false, false
	}
	m, err := s.Cluster.Served.RESTMapping(kind)
	if err != nil {
		return schema.GroupResource{}, false, false
	}
	return m.Resource.GroupResource(), m.Scope.Name() == meta.RESTScopeNameNamespace, true
}

// kindName returns Kind.group, made once for each kind.
func (s *Source) kindName(kind schema.GroupKind) string {
	s.state.Lock()
	defer s.state.Unlock()
	name, known := s.names[kind]
	if !known {
		name = kind.String()
		s.names[kind] = name
	}
	return name
}

// stale returns since when and why the source may be out of date.
func (s *Source) stale() (*time.Time, string) {
	s = s.origin()
	s.state.Lock()
	defer s.state.Unlock()
	if s.since.IsZero() {
		return nil, ""
	}
	since := s.since.UTC()
	return &since, s.why
}

// problems returns what could not be read.
func (s *Source) problems() []render.Problem {
	s = s.origin()
	s.state.Lock()
	defer s.state.Unlock()
	var out []render.Problem
	for _, name := range slices.Sorted(maps.Keys(s.unread)) {
		p := s.unread[name]
		p.Context = s.Name
		out = append(out, p)
	}
	return out
}

// State describes the source for the API; objects are counted by the caller, who knows what may be seen.
func (s *Source) State() api.Cluster {
	since, why := s.stale()
	s = s.origin()
	out := api.Cluster{Name: s.Name, Server: s.Server, StaleSince: since, Message: why, Unread: s.problems()}
	s.state.Lock()
	defer s.state.Unlock()
	switch lag := s.lag(); {
	case since != nil && s.phase != "failed":
		out.State = "stale"
	case s.phase == "live" && lag >= late:
		out.State, out.Message = "behind", fmt.Sprintf("changes of the last %d s are not shown yet", int(lag.Seconds()))
	default:
		out.State = s.phase
	}
	return out
}

// late is from which lag on a source is behind.
const late = 3 * time.Second

// Lag returns for how long the oldest change that has come is not in the rows; 0 if all are.
func (s *Source) Lag() time.Duration {
	s = s.origin()
	s.state.Lock()
	defer s.state.Unlock()
	return s.lag()
}

// lag is Lag while the lock is held.
func (s *Source) lag() time.Duration {
	if s.behind.IsZero() {
		return 0
	}
	return max(0, s.fleet.now().Sub(s.behind))
}

// came notes that a change came at a time, if no earlier one waits; the zero time notes that all are in the rows.
func (s *Source) came(at time.Time) {
	s.state.Lock()
	defer s.state.Unlock()
	if s.behind.IsZero() || at.IsZero() {
		s.behind = at
	}
}

// Ready reports whether the first lists are complete.
func (s *Source) Ready() bool {
	s = s.origin()
	s.state.Lock()
	defer s.state.Unlock()
	return s.phase == "live" || s.phase == "ended"
}

// progress wakes those that wait for the source to have read more.
func (s *Source) progress(phase string) {
	s.state.Lock()
	changed := phase != "" && phase != s.phase
	if phase != "" {
		s.phase = phase
	}
	close(s.progressed)
	s.progressed = make(chan struct{})
	s.state.Unlock()
	if changed {
		s.fleet.mu.Lock()
		s.fleet.wake()
		s.fleet.mu.Unlock()
	}
}

// Fail marks a source that cannot be read at all.
func (s *Source) Fail(err error) {
	s.state.Lock()
	s.why = err.Error()
	s.since = s.fleet.now()
	s.state.Unlock()
	s.progress("failed")
}

// record adds records to the history.
func (s *Source) record(records ...history.Record) {
	if s.Store != nil && len(records) > 0 {
		s.Store.Append(records...)
	}
}

// Fleet returns the fleet of the source.
func (s *Source) Fleet() *Fleet { return s.fleet }

// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/klog/v2"
)

// Query names objects as a user does: all of a type, or one by its name.
type Query struct {
	Type string // deploy, deployments.apps, Deployment
	Name string // empty: all

	// The rest is for a Follower. Other methods read the namespace and the labels of the options.
	Namespace string // empty: all; without meaning for types that have none
	Selector  string // of labels
	Fields    string // a selector of fields, without a name
}

// Event is a change of one query: an object that exists or has changed, one that is gone, or a state. The objects of a
// first list come before its Served.
type Event struct {
	Query int // by the order in which queries were added, from 0
	// Object exists; it is read-only.
	Object *relation.Object
	// Gone is gone or no longer selected; without a name there is none.
	Gone relation.ID
	// State is Served, NotServed, Forbidden or Unreachable, with Why where it is not Served. It counts where there is neither Object nor Gone.
	State Reason
	Why   string
	// Mapping is the type, where it is known.
	Mapping *meta.RESTMapping
}

// maxNames is how many objects of one type and namespace are followed by name, with a watch each; more share one.
const maxNames = 8

// Follower watches the objects of queries until its context ends.
type Follower struct {
	// Events are the changes. They have to be received; the channel is closed when everything has ended.
	Events <-chan Event

	cluster *Cluster
	ctx     context.Context
	events  chan Event
	wait    sync.WaitGroup

	mu      sync.Mutex
	ended   bool
	count   int                // of queries
	dropped map[int]bool       // queries that are not followed any more
	stops   map[int]func()     // which end the watches of queries that share theirs with no other
	awaited map[string][]asked // queries of types that are not served, by type
	tries   map[string]int     // how often a type was found, by type
	crds    *definitions       // nil before there is need
}

// asked is a query with its number.
type asked struct {
	Query
	number int
}

// Follow follows queries until the context ends.
func (c *Cluster) Follow(ctx context.Context, queries ...Query) *Follower {
	ctx = klog.NewContext(ctx, logr.Discard()) // errors are events; client-go must not write between the lines of a command
	events := make(chan Event, 1024)
	f := &Follower{Events: events, cluster: c, ctx: ctx, events: events, awaited: map[string][]asked{}, tries: map[string]int{},
		dropped: map[int]bool{}, stops: map[int]func(){}}
	f.Add(queries...)
	go func() {
		<-ctx.Done()
		f.mu.Lock()
		f.ended = true
		f.mu.Unlock()
		f.wait.Wait()
		close(events)
	}()
	return f
}

// Add follows more queries and returns the number of the first. Those of one type and namespace that are added together share one watch,
// except for a few names.
func (f *Follower) Add(queries ...Query) (first int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first = f.count
	f.count += len(queries)
	if f.ended {
		return first
	}
	byType := map[string][]asked{}
	for i, q := range queries {
		byType[q.Type] = append(byType[q.Type], asked{q, first + i})
	}
	for word, list := range byType {
		f.wait.Go(func() { f.resolve(word, list) })
	}
	return first
}

// Drop stops following a query that was added alone. Events about it may still come from before.
func (f *Follower) Drop(query int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropped[query] = true
	if stop := f.stops[query]; stop != nil {
		stop()
	}
}

// watching returns the context of the watch of some queries, or false if it is not needed any more.
func (f *Follower) watching(queries []asked) (context.Context, context.CancelFunc, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(queries) > 1 {
		return f.ctx, func() {}, true
	}
	ctx, stop := context.WithCancel(f.ctx)
	f.stops[queries[0].number] = stop
	return ctx, stop, !f.dropped[queries[0].number]
}

// send sends an event about each of some queries.
func (f *Follower) send(ctx context.Context, queries []asked, e Event) {
	for _, q := range queries {
		e.Query = q.number
		select {
		case f.events <- e:
		case <-ctx.Done():
		}
	}
}

// resolve finds a type and starts to follow its queries. A server that does not answer is asked again.
func (f *Follower) resolve(word string, queries []asked) {
	for pause := 250 * time.Millisecond; f.ctx.Err() == nil; pause = min(2*pause, 10*time.Second) {
		m, err := f.cluster.Kind(word)
		switch {
		case err == nil:
			f.start(word, m, queries)
			return
		case err.Reason() == NotServed:
			f.await(word, err.Near, queries)
			return
		}
		f.send(f.ctx, queries, Event{State: Unreachable, Why: err.Error()})
		sleep(f.ctx, pause)
		f.cluster.Served.Reset()
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// start groups the queries of a type by what they watch, and starts a watch for each group.
func (f *Follower) start(word string, m *meta.RESTMapping, queries []asked) {
	groups := map[Query][]asked{}
	named := map[string]int{}
	for i := range queries {
		q := &queries[i]
		if m.Scope.Name() != meta.RESTScopeNameNamespace {
			q.Namespace = ""
		}
		if q.Name != "" {
			named[q.Namespace]++
		}
	}
	for _, q := range queries {
		group := q.Query
		if named[q.Namespace] > maxNames {
			group.Name = ""
		}
		groups[group] = append(groups[group], q)
	}
	for group, queries := range groups {
		s := &source{client: f.cluster.Client, mapping: m, query: group}
		s.emit = func(ctx context.Context, name string, e Event) {
			for _, q := range queries {
				if name == "" || q.Name == "" || q.Name == name {
					f.send(ctx, []asked{q}, e)
				}
			}
		}
		f.wait.Go(func() {
			ctx, stop, wanted := f.watching(queries)
			defer stop()
			if wanted && s.run(ctx) {
				f.await(word, "", queries)
			}
		})
	}
}

// await waits for a type to be served. near is a type that may be meant; empty for none.
func (f *Follower) await(word, near string, queries []asked) {
	why := "the server has no type " + word
	if near != "" {
		why += "; did you mean " + near + "?"
	}
	f.send(f.ctx, queries, Event{State: NotServed, Why: why})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.awaited[word] = append(f.awaited[word], queries...)
	if f.crds == nil {
		f.crds = &definitions{f: f}
		f.wait.Go(f.crds.run)
	} else {
		f.wait.Go(f.crds.look)
	}
}

// awaits returns the awaited types, in order.
func (f *Follower) awaits() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.awaited))
}

// found starts to follow an awaited type, after a pause that grows each time: a new definition takes a moment to be served.
func (f *Follower) found(word string, m *meta.RESTMapping) {
	f.mu.Lock()
	queries := f.awaited[word]
	delete(f.awaited, word)
	pause := time.Duration(0)
	if n := f.tries[word]; n > 0 {
		pause = min(50*time.Millisecond<<min(n, 8), 5*time.Second)
	}
	f.tries[word]++
	f.mu.Unlock()
	if len(queries) == 0 {
		return
	}
	f.wait.Go(func() {
		sleep(f.ctx, pause)
		if f.ctx.Err() == nil {
			f.start(word, m, queries)
		}
	})
}

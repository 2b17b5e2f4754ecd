// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/klog/v2"
)

// Query is what to follow.
type Query struct {
	Type      string // as a user writes it: deploy, deployments.apps, Deployment
	Name      string // empty: all
	Namespace string // empty: all; without meaning for types that have none
	Selector  string // of labels
	Fields    string // a selector of fields, without a name
}

// State is whether the type of a query can be read.
type State int

// The states.
const (
	Served    State = iota // the first list is in, and a watch goes on
	NotServed              // the server does not have the type
	Forbidden              // it may not be read
	Trouble                // it could not be read; it is tried again
)

// String is a word for people.
func (s State) String() string {
	return [...]string{"Served", "NotServed", "Forbidden", "Unreachable"}[s]
}

// Event is a change of one query: an object that exists or has changed, one that is gone, or a state. The objects of a
// first list come before its Served.
type Event struct {
	Query int // by its place in the list
	// Object exists; it is read-only.
	Object *unstructured.Unstructured
	// Gone is the [Key] of an object that is gone or no longer selected.
	Gone string
	// State, with Why where it is not Served, counts where Object and Gone are empty.
	State State
	Why   string
	// Mapping is the type, where it is known.
	Mapping *meta.RESTMapping
}

// Key is namespace/name, or the name alone.
func Key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// ErrNotServed is the error of a Kind for a type that the server does not have.
var ErrNotServed = errors.New("the server has no such type")

// Kind finds a type by any of its names. With fresh it asks the server again.
type Kind func(word string, fresh bool) (*meta.RESTMapping, error)

// maxNames is how many objects of one type and namespace are followed by name, with a watch each; more share one.
const maxNames = 8

// Run follows until the context ends; then it closes events.
func Run(ctx context.Context, client dynamic.Interface, kind Kind, queries []Query, events chan<- Event) {
	ctx = klog.NewContext(ctx, logr.Discard()) // what goes wrong is an event; client-go must not write between the lines of a command
	f := &follower{client: client, kind: kind, queries: queries, events: events, awaited: map[string][]int{}, tries: map[string]int{}}
	byType := map[string][]int{}
	var words []string
	for i, q := range queries {
		if byType[q.Type] == nil {
			words = append(words, q.Type)
		}
		byType[q.Type] = append(byType[q.Type], i)
	}
	for _, word := range words {
		f.wait.Go(func() { f.resolve(ctx, word, byType[word]) })
	}
	<-ctx.Done()
	f.wait.Wait()
	close(events)
}

// follower is one Run.
type follower struct {
	client  dynamic.Interface
	kind    Kind
	queries []Query
	events  chan<- Event
	wait    sync.WaitGroup

	mu      sync.Mutex
	awaited map[string][]int // queries of types that are not served, by type
	tries   map[string]int   // how often a type was found, by type
	crds    *definitions     // nil before there is need
}

func (f *follower) send(ctx context.Context, e Event) {
	select {
	case f.events <- e:
	case <-ctx.Done():
	}
}

func (f *follower) sendAll(ctx context.Context, queries []int, e Event) {
	for _, e.Query = range queries {
		f.send(ctx, e)
	}
}

// resolve finds a type and starts to follow its queries. A server that does not answer is asked again.
func (f *follower) resolve(ctx context.Context, word string, queries []int) {
	for pause, fresh := 250*time.Millisecond, false; ctx.Err() == nil; pause, fresh = min(2*pause, 10*time.Second), true {
		m, err := f.kind(word, fresh)
		switch {
		case err == nil:
			f.start(ctx, word, m, queries)
			return
		case errors.Is(err, ErrNotServed):
			f.await(ctx, word, queries)
			return
		}
		f.sendAll(ctx, queries, Event{State: Trouble, Why: err.Error()})
		sleep(ctx, pause)
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

// start groups the queries of a type into sources.
func (f *follower) start(ctx context.Context, word string, m *meta.RESTMapping, queries []int) {
	type place struct{ namespace, selector, fields, name string }
	groups := map[place][]int{}
	var order []place
	named := map[string]int{}
	namespaced := m.Scope.Name() == meta.RESTScopeNameNamespace
	namespace := func(q Query) string {
		if namespaced {
			return q.Namespace
		}
		return ""
	}
	for _, i := range queries {
		if q := f.queries[i]; q.Name != "" {
			named[namespace(q)]++
		}
	}
	for _, i := range queries {
		q := f.queries[i]
		p := place{namespace(q), q.Selector, q.Fields, q.Name}
		if named[p.namespace] > maxNames {
			p.name = ""
		}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], i)
	}
	for _, p := range order {
		queries := groups[p]
		s := &source{client: f.client, mapping: m, namespace: p.namespace, selector: p.selector, fields: p.fields, name: p.name}
		s.emit = func(ctx context.Context, name string, e Event) {
			for _, e.Query = range queries {
				if want := f.queries[e.Query].Name; name == "" || want == "" || want == name {
					f.send(ctx, e)
				}
			}
		}
		f.wait.Go(func() {
			if s.run(ctx) {
				f.await(ctx, word, queries)
			}
		})
	}
}

// await waits for a type to be served.
func (f *follower) await(ctx context.Context, word string, queries []int) {
	f.sendAll(ctx, queries, Event{State: NotServed, Why: "the server has no type " + word})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.awaited[word] = append(f.awaited[word], queries...)
	if f.crds == nil {
		f.crds = &definitions{f: f}
		f.wait.Go(func() { f.crds.run(ctx) })
	} else {
		f.wait.Go(func() { f.crds.look(ctx) })
	}
}

// awaits returns the awaited types, in order.
func (f *follower) awaits() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.awaited))
}

// found starts to follow an awaited type, after a pause that grows each time: a new definition takes a moment to be served.
func (f *follower) found(ctx context.Context, word string, m *meta.RESTMapping) {
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
		sleep(ctx, pause)
		if ctx.Err() == nil {
			f.start(ctx, word, m, queries)
		}
	})
}

// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tristate/tristate/conditions"
	"github.com/tristate/tristate/conditions/conditionstest"
	"github.com/tristate/tristate/conditions/wire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Resource is a resource that is recorded.
type Resource struct {
	GVR  schema.GroupVersionResource
	Kind string
}

// Recorder has every status that an object ever had: a watch misses none. It is for concurrent use.
type Recorder struct {
	mu     sync.Mutex
	more   chan struct{} // closed and replaced with every revision
	states map[string][]state
	cursor map[string]int
	latest map[string]uint64 // the highest resource version that was seen, by kind
	lists  map[string]dynamic.ResourceInterface
	text   Log   // of every status
	lost   error // why a watch has ended
}

// state is a revision of an object: its cells as "Type=Status Reason"; none once it is deleted.
type state struct {
	uid     types.UID
	cells   []string
	list    []conditions.Condition
	deleted bool
}

// Record records resources until the context ends.
func Record(ctx context.Context, config *rest.Config, resources []Resource) (*Recorder, error) {
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	r := &Recorder{more: make(chan struct{}), states: map[string][]state{}, cursor: map[string]int{}, latest: map[string]uint64{},
		lists: map[string]dynamic.ResourceInterface{}}
	for _, recorded := range resources {
		kind, resource := recorded.Kind, dynamicClient.Resource(recorded.GVR)
		r.lists[kind] = resource
		list, err := resource.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		// The API server ends a watch after a while; this one goes on where it ended.
		events, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(),
			&cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				return resource.Watch(ctx, o)
			}})
		if err != nil {
			return nil, err
		}
		go func() {
			for e := range events.ResultChan() {
				if e.Type == watch.Error { // the API server knows nothing that old
					r.lose(fmt.Errorf("the record of %s has ended: %w", kind, apierrors.FromObject(e.Object)))
				} else if o, ok := e.Object.(*unstructured.Unstructured); ok {
					r.add(kind, o, e.Type == watch.Deleted)
				}
			}
		}()
	}
	return r, nil
}

// lose fails the tests that wait for further states.
func (r *Recorder) lose(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = err
	close(r.more)
	r.more = make(chan struct{})
}

func (r *Recorder) add(kind string, o *unstructured.Unstructured, deleted bool) {
	raw, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	list, _ := wire.FromUnstructured(raw)
	s := state{deleted: deleted, uid: o.GetUID()}
	if status, err := json.Marshal(o.Object["status"]); err == nil {
		_, _ = r.text.Write(status) // never fails
	}
	if !deleted {
		s.list = list
	}
	for _, c := range s.list {
		s.cells = append(s.cells, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := kind + " " + o.GetNamespace() + "/" + o.GetName()
	r.states[key] = append(r.states[key], s)
	r.latest[kind] = max(r.latest[kind], version(o))
	close(r.more)
	r.more = make(chan struct{})
}

// Reach waits until an object has all cells at a time; it starts at the state that the last call has found. A cell with ! in front is one
// that the object does not have.
func (r *Recorder) Reach(t *testing.T, o client.Object, cells ...string) {
	t.Helper()
	key := Key(o)
	r.wait(t, func() bool {
		states := r.states[key]
		for i := r.cursor[key]; i < len(states); i++ {
			if !slices.ContainsFunc(cells, func(c string) bool { return !states[i].has(c) }) {
				r.cursor[key] = i
				return true
			}
		}
		return false
	}, func() string {
		return fmt.Sprintf("%s never had %v; it had\n%s", key, cells, lines(r.states[key][min(r.cursor[key], len(r.states[key])):]))
	})
}

// Never is an error for each state of an object with a cell, from the one that the last [Recorder.Reach] has found on.
func (r *Recorder) Never(t *testing.T, o client.Object, cell string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	key := Key(o)
	for i, s := range r.states[key] {
		if i >= r.cursor[key] && s.has(cell) {
			t.Errorf("%s had %s:\n%s", key, cell, lines([]state{s}))
		}
	}
}

// wait repeats a check under the lock, after each revision, until it holds; why is asked, under the lock as well, where that does not come.
func (r *Recorder) wait(t *testing.T, check func() bool, why func() string) {
	t.Helper()
	defer Slow(t, time.Now())
	timeout := time.After(Patience)
	for {
		r.mu.Lock()
		holds, more, lost := check(), r.more, r.lost
		r.mu.Unlock()
		if holds {
			return
		}
		if lost != nil {
			t.Fatal(lost)
		}
		select {
		case <-more:
		case <-timeout:
			r.mu.Lock()
			defer r.mu.Unlock()
			t.Fatal(why())
		}
	}
}

// lines prints states with their messages.
func lines(states []state) string {
	var b strings.Builder
	for _, s := range states {
		fmt.Fprintln(&b, " ", strings.Join(s.cells, ", "))
		for _, c := range s.list {
			if c.Message != "" {
				fmt.Fprintf(&b, "      %s: %s\n", c.Type, c.Message)
			}
		}
	}
	return b.String()
}

// version returns the resource version of an object as a number. Within a kind these have the order of the writes.
func version(o *unstructured.Unstructured) uint64 {
	n, _ := strconv.ParseUint(o.GetResourceVersion(), 10, 64) // the API server makes it
	return n
}

// Skip has the next Reach look at states that are stored from now on only.
func (r *Recorder) Skip(t *testing.T, o client.Object) {
	t.Helper()
	r.Count(t) // the watch may be behind
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cursor[Key(o)] = len(r.states[Key(o)])
}

func (s state) has(cell string) bool {
	if absent, ok := strings.CutPrefix(cell, "!"); ok {
		return !slices.ContainsFunc(s.cells, func(c string) bool { return c == absent || strings.HasPrefix(c, absent+"=") })
	}
	return slices.Contains(s.cells, cell)
}

// Count returns how many revisions of each object there were, by "Kind namespace/name", with every one that is stored when it is called:
// without that a revision that the watch has not delivered yet would count as one that comes later.
func (r *Recorder) Count(t *testing.T) map[string]int {
	t.Helper()
	for kind, resource := range r.lists {
		list, err := resource.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			want := version(&list.Items[i])
			r.wait(t, func() bool { return r.latest[kind] >= want }, func() string {
				return fmt.Sprintf("%s: the watch is at %d, and %s at %d", kind, r.latest[kind], list.Items[i].GetName(), want)
			})
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for key, states := range r.states {
		out[key] = len(states)
	}
	return out
}

// Key returns "Kind namespace/name" of a typed object.
func Key(o client.Object) string {
	name := fmt.Sprintf("%T", o)
	return name[strings.LastIndexByte(name, '.')+1:] + " " + o.GetNamespace() + "/" + o.GetName()
}

// Report feeds a coverage with everything that was seen, and returns the cells that were left again as "Kind Type=Status Reason". alive
// counts those that went while the object lived on, and no deletion.
func (r *Recorder) Report(coverage *conditionstest.Coverage, alive bool) (left map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left = map[string]bool{}
	for key, states := range r.states {
		name, _, _ := strings.Cut(key, " ")
		had, uid := map[string]bool{}, types.UID("")
		for _, s := range states {
			if alive && (s.deleted || s.uid != uid) {
				had, uid = map[string]bool{}, s.uid
			}
			for _, kind := range coverage.Kinds {
				if kind.Kind == name {
					coverage.Observe(kind, s.list)
				}
			}
			for c := range had {
				if !slices.Contains(s.cells, c) {
					left[name+" "+c] = true
				}
			}
			for _, c := range s.cells {
				had[c] = true
			}
		}
	}
	return left
}

// Text returns every status that was ever stored, as JSON.
func (r *Recorder) Text() string { return r.text.String() }

// Transitions returns the changes of each write by uid of an object: "Type=Status Reason" of a condition that came or whose status or
// reason is another, and "!Type" of one that was removed.
func (r *Recorder) Transitions() map[types.UID][][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[types.UID][][]string{}
	for _, states := range r.states {
		var before state
		for _, s := range states {
			if s.uid != before.uid {
				before = state{uid: s.uid}
			}
			if s.deleted {
				continue
			}
			var changed []string
			for _, c := range s.cells {
				if !slices.Contains(before.cells, c) {
					changed = append(changed, c)
				}
			}
			for _, c := range before.list {
				if conditions.Find(s.list, c.Type) < 0 {
					changed = append(changed, "!"+c.Type)
				}
			}
			if len(changed) > 0 {
				out[s.uid] = append(out[s.uid], changed)
			}
			before = s
		}
	}
	return out
}

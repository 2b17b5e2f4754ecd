// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// sink takes what a source sees.
type sink interface {
	put(*seen)
	remove(relation.ID)
	known(schema.GroupKind) []relation.ID // what was put of a kind and not removed
}

// retryLimit is the longest pause before an API server that did not answer is asked again.
const retryLimit = 4 * time.Second

// watchPauses are the pauses of a watch that cannot be made: with the jitter none is longer than retryLimit.
var watchPauses = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 2 * retryLimit / 3, Steps: 1 << 20}

// seen is an object as it was seen, pruned, with what was read of it before.
type seen struct {
	*relation.Object // nil while it is only kept until the rest of its list is in
	sealed           relation.Sealed
	standing         standing
	anew             bool // of the first list of a watch that took the place of another: what is kept of it may differ
}

// source watches one kind and hands its objects on. It keeps none itself: it is the store of a reflector.
type source struct {
	kind   schema.GroupKind
	served served
	sink   sink
	prune  func(schema.GroupKind, map[string]any) map[string]any
	graph  *relation.Graph               // packs objects of a list until all of it is in; nil: they stay as they are
	look   func(map[string]any) standing // reads of the whole object who holds its conditions; nil: nobody asks
	listed func()                        // called when the first list is in
	failed func()                        // called when the API server refuses a list or a watch that it did not refuse before; nil: nobody asks
	stop   context.CancelFunc
	done   chan struct{}

	mu     sync.Mutex
	anew   bool // it took the place of another watch, and has no list of its own yet
	known  bool // the first list is in
	ending bool // another watch takes its place, or none
	synced bool // and handed on
	err    error
}

// start begins to watch.
func (s *source) start(ctx context.Context, client dynamic.Interface) {
	ctx, s.stop = context.WithCancel(ctx)
	s.done = make(chan struct{})
	resource := client.Resource(s.served.resource)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := resource.List(ctx, o)
			s.report(err)
			if err != nil {
				return nil, err
			}
			for i := range list.Items {
				list.Items[i].Object = s.slim(list.Items[i].Object)
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := resource.Watch(ctx, o)
			if o.SendInitialEvents == nil || !apierrors.IsInvalid(err) { // else it cannot stream lists, and the reflector lists
				s.report(err)
			}
			return w, err
		},
	}
	pauses := watchPauses
	reflector := cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, client), &unstructured.Unstructured{}, s,
		cache.ReflectorOptions{Name: "tristate", TypeDescription: s.kind.String(), Backoff: &pauses})
	go func() {
		defer close(s.done)
		reflector.RunWithContext(ctx)
	}()
}

// end stops watching and takes the objects away.
func (s *source) end() {
	s.stop()
	<-s.done
	for _, id := range s.sink.known(s.kind) {
		s.sink.remove(id)
	}
}

func (s *source) report(err error) {
	s.mu.Lock()
	first := s.err == nil && err != nil
	s.err = err
	s.mu.Unlock()
	if first && s.failed != nil {
		s.failed()
	}
}

// retire makes what the watch knows count no more, before it is ended.
func (s *source) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.ending = false, true
}

// how returns how the kind is served.
func (s *source) how() served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}

// learn takes in how the kind is served now: by the same resource as before.
func (s *source) learn(how served) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served = how
}

// state reports whether the first list is in, and what went wrong last.
func (s *source) state() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.synced, s.err
}

// standingKey is where a pruned object carries its standing from the list to the store. No JSON object has a key like it.
const standingKey = "\x00standing"

// slim prunes an object, once.
func (s *source) slim(content map[string]any) map[string]any {
	if _, done := content[standingKey]; done {
		return content
	}
	var st standing
	if s.look != nil {
		st = s.look(content)
	}
	out := s.prune(s.kind, content)
	out[standingKey] = st
	return out
}

func (s *source) object(obj any) (*seen, error) {
	switch o := obj.(type) {
	case *seen:
		return o, nil
	case *unstructured.Unstructured:
		content := s.slim(o.Object)
		st, _ := content[standingKey].(standing)
		delete(content, standingKey)
		return &seen{Object: relation.FromContent(content), standing: st}, nil
	}
	return nil, fmt.Errorf("watch of %s gave a %T", s.kind, obj)
}

// Transformer is a method of cache.TransformingStore: a reflector that gathers a first list keeps of each object what s would.
func (s *source) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		o, err := s.object(obj)
		if err != nil || s.graph == nil {
			return o, err
		}
		return &seen{sealed: s.graph.Seal(o.Object), standing: o.standing}, nil
	}
}

// Add is a method of cache.ReflectorStore.
func (s *source) Add(obj any) error {
	o, err := s.object(obj)
	if err != nil {
		return err
	}
	s.sink.put(o)
	return nil
}

// Update is a method of cache.ReflectorStore.
func (s *source) Update(obj any) error { return s.Add(obj) }

// Delete is a method of cache.ReflectorStore.
func (s *source) Delete(obj any) error {
	o, err := s.object(obj)
	if err != nil {
		return err
	}
	s.sink.remove(o.ID)
	return nil
}

// Replace is a method of cache.ReflectorStore: what is not in the list is gone.
func (s *source) Replace(list []any, _ string) error {
	gone := map[relation.ID]bool{}
	for _, id := range s.sink.known(s.kind) {
		gone[id] = true
	}
	for i, item := range list {
		o, err := s.object(item)
		if err != nil {
			return err
		}
		if list[i] = o; o.Object == nil {
			delete(gone, o.sealed.ID)
		} else {
			delete(gone, o.ID)
		}
	}
	for id := range gone {
		s.sink.remove(id)
	}
	for i := range list {
		o, _ := list[i].(*seen)
		list[i] = nil // it is garbage once it is stored
		if o.Object == nil {
			o.Object = s.graph.Open(o.sealed)
		}
		o.anew = s.anew
		s.sink.put(o)
	}
	s.mu.Lock()
	first := !s.known && !s.ending
	s.known, s.anew = !s.ending, false
	s.mu.Unlock()
	if first && s.listed != nil {
		s.listed()
	}
	s.mu.Lock()
	s.synced = true
	s.mu.Unlock()
	return nil
}

// Resync is a method of cache.ReflectorStore.
func (s *source) Resync() error { return nil }

// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/read/relation"
	"github.com/tristate/tristate/internal/read/watch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// sink receives the objects of a source.
type sink interface {
	put(*seen)
	remove(relation.ID)
	known(schema.GroupKind) []relation.ID // the objects of a kind that were put and not removed
}

// grant is what a person has to do about a kind that the account of the controller may not read.
const grant = "grant list and watch on it: rbac.read or rbac.write of the chart"

// retryLimit is the longest pause before an API server that did not answer is asked again.
const retryLimit = 4 * time.Second

// watchPauses are the pauses of a watch that cannot be made: with the jitter none is longer than retryLimit.
var watchPauses = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 2 * retryLimit / 3, Steps: 1 << 20}

// seen is a pruned object, with the facts that were read before it was pruned.
type seen struct {
	*relation.Object // nil while it is only kept until the rest of its list is in
	entry            *relation.Entry
	standing         standing
	anew             bool // of the first list of a watch that took the place of another: its pruned form may differ
}

func (o *seen) id() relation.ID {
	return o.entry.ID
}

// source watches one kind and hands its objects on.
type source struct {
	kind   schema.GroupKind
	served served
	sink   sink
	prune  func(schema.GroupKind, map[string]any) map[string]any
	graph  *relation.Graph               // packs objects of a list until all of it is in; nil: they stay as they are
	look   func(map[string]any) standing // reads of the whole object who holds its conditions; nil: not needed
	listed func()                        // called when the first list is in
	log    *slog.Logger                  // of the first refusal, and of the end of it; nil: none
	failed func()                        // called when the API server refuses a list or a watch that it did not refuse before; nil: not needed
	moved  func()                        // called when state has another answer; nil: not needed
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
	w := s.watch(client)
	go func() {
		defer close(s.done)
		w.Run(ctx)
	}()
}

// watch returns the watch of the kind.
func (s *source) watch(client dynamic.Interface) *watch.Watch[relation.ID, seen] {
	pauses := watchPauses
	w := &watch.Watch[relation.ID, seen]{
		Client: client, Kind: s.kind.String(), Backoff: &pauses, Answered: s.answered,
		Read: s.read, Key: (*seen).id, Put: s.put, Remove: s.sink.remove, Listed: s.complete,
		Known: func() []relation.ID { return s.sink.known(s.kind) },
	}
	if client != nil {
		w.Resource = client.Resource(s.served.resource)
	}
	if s.graph != nil {
		w.Pack = func(o *seen) {
			s.graph.Pack(o.entry)
			o.Object = nil
		}
	}
	return w
}

// answered notes an answer of the API server. One that it cannot stream lists is none: then the reflector lists.
func (s *source) answered(verb string, o metav1.ListOptions, err error) {
	if verb == "watch" && o.SendInitialEvents != nil && apierrors.IsInvalid(err) {
		return
	}
	s.mu.Lock()
	first, again := s.err == nil && err != nil, s.err != nil && err == nil
	s.err = err
	s.mu.Unlock()
	switch {
	case s.log == nil:
	case first && apierrors.IsForbidden(err):
		s.log.Warn("may not be read; it is tried again", "kind", s.kind, "error", err, "fix", grant)
	case first:
		s.log.Warn("cannot be read; it is tried again", "kind", s.kind, "error", err)
	case again:
		s.log.Info("can be read again", "kind", s.kind)
	}
	if first && s.failed != nil {
		s.failed()
	}
	if (first || again) && s.moved != nil {
		s.moved()
	}
}

// put hands on an object. The reflector's goroutine alone calls it.
func (s *source) put(o *seen) {
	if o.Object == nil {
		o.Object = s.graph.Open(o.entry)
	}
	o.anew = s.anew
	s.sink.put(o)
}

// complete notes that a list is handed on.
func (s *source) complete() {
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
	if s.moved != nil {
		s.moved()
	}
}

// end stops watching and takes the objects away.
func (s *source) end() {
	s.stop()
	<-s.done
	for _, id := range s.sink.known(s.kind) {
		s.sink.remove(id)
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

// learn notes how the kind is served now: by the same resource as before.
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

// read returns a pruned object.
func (s *source) read(content map[string]any) *seen {
	var st standing
	if s.look != nil {
		st = s.look(content)
	}
	o := relation.FromContent(s.prune(s.kind, content))
	return &seen{Object: o, entry: relation.NewEntry(o), standing: st}
}

// SPDX-License-Identifier: Apache-2.0

package watchset

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/watch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// sink receives the objects of a source.
type sink interface {
	Put(*Seen)
	Remove(relation.ID)
	Known(schema.GroupKind) []relation.ID // the objects of a kind that were put and not removed
}

// Grant tells a person how to let the controller read a kind that its account may not read.
const Grant = "grant list and watch on it: rbac.read or rbac.write of the chart"

// RetryLimit is the longest pause before an API server that did not answer is asked again.
const RetryLimit = 4 * time.Second

// WatchPauses are the pauses of a watch that cannot be made: with the jitter none is longer than RetryLimit.
var WatchPauses = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 2 * RetryLimit / 3, Steps: 1 << 20}

// Seen is a pruned object, with the facts that were read before it was pruned.
type Seen struct {
	*relation.Object // nil if it is packed in Entry
	Entry            *relation.Entry
	Facts            any  // what Look read
	Anew             bool // of the first list of a watch that took the place of another: its pruned form may differ
}

func (o *Seen) id() relation.ID {
	return o.Entry.ID
}

// Source watches one kind and hands its objects on.
type Source struct {
	Kind   schema.GroupKind
	Served Served
	Sink   sink
	Prune  func(schema.GroupKind, map[string]any) map[string]any
	Graph  *relation.Graph          // packs objects of a list until all of it is in; nil: they stay as they are
	Look   func(map[string]any) any // reads facts of the whole object before it is pruned; nil: none
	Listed func()                   // called when the first list is in
	Log    *slog.Logger             // of the first refusal, and of the end of it; nil: none
	Failed func()                   // called when the API server refuses a list or a watch that it did not refuse before; nil: not needed
	Moved  func()                   // called when state has another answer; nil: not needed
	Stop   context.CancelFunc
	Done   chan struct{}

	Mu     sync.Mutex
	Anew   bool // it took the place of another watch, and has no list of its own yet
	Known  bool // the first list is in
	ending bool // another watch takes its place, or none
	synced bool // and handed on
	err    error
}

// Start begins to watch.
func (s *Source) Start(ctx context.Context, client dynamic.Interface) {
	ctx, s.Stop = context.WithCancel(ctx)
	s.Done = make(chan struct{})
	w := s.Watch(client)
	go func() {
		defer close(s.Done)
		w.Run(ctx)
	}()
}

// Watch returns the watch of the kind.
func (s *Source) Watch(client dynamic.Interface) *watch.Watch[relation.ID, Seen] {
	pauses := WatchPauses
	w := &watch.Watch[relation.ID, Seen]{
		Client: client, Kind: s.Kind.String(), Backoff: &pauses, Answered: s.answered,
		Read: s.Read, Key: (*Seen).id, Put: s.put, Remove: s.Sink.Remove, Listed: s.complete,
		Known: func() []relation.ID { return s.Sink.Known(s.Kind) },
	}
	if client != nil {
		w.Resource = client.Resource(s.Served.Resource)
	}
	if s.Graph != nil {
		w.Pack = func(o *Seen) {
			s.Graph.Pack(o.Entry)
			o.Object = nil
		}
	}
	return w
}

// answered notes an answer of the API server. The answer that it cannot stream lists does not count: the reflector lists then.
func (s *Source) answered(verb string, o metav1.ListOptions, err error) {
	if verb == "watch" && o.SendInitialEvents != nil && apierrors.IsInvalid(err) {
		return
	}
	s.Mu.Lock()
	first, again := s.err == nil && err != nil, s.err != nil && err == nil
	s.err = err
	s.Mu.Unlock()
	switch {
	case s.Log == nil:
	case first && apierrors.IsForbidden(err):
		s.Log.Warn("may not be read; it is tried again", "kind", s.Kind, "error", err, "fix", Grant)
	case first:
		s.Log.Warn("cannot be read; it is tried again", "kind", s.Kind, "error", err)
	case again:
		s.Log.Info("can be read again", "kind", s.Kind)
	}
	if first && s.Failed != nil {
		s.Failed()
	}
	if (first || again) && s.Moved != nil {
		s.Moved()
	}
}

// complete notes that a list is handed on.
func (s *Source) complete() {
	s.Mu.Lock()
	first := !s.Known && !s.ending
	s.Known, s.Anew = !s.ending, false
	s.Mu.Unlock()
	if first && s.Listed != nil {
		s.Listed()
	}
	s.Mu.Lock()
	s.synced = true
	s.Mu.Unlock()
	if s.Moved != nil {
		s.Moved()
	}
}

// End stops watching and takes the objects away.
func (s *Source) End() {
	s.Stop()
	<-s.Done
	for _, id := range s.Sink.Known(s.Kind) {
		s.Sink.Remove(id)
	}
}

// Retire makes what the watch knows count no more, before it is ended.
func (s *Source) Retire() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Known, s.ending = false, true
}

// How returns how the kind is served.
func (s *Source) How() Served {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Served
}

// Learn notes how the kind is served now: by the same resource as before.
func (s *Source) Learn(how Served) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Served = how
}

// State reports whether the first list is in, and what went wrong last.
func (s *Source) State() (bool, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.synced, s.err
}

// Read returns a pruned object with its facts.
func (s *Source) Read(content map[string]any) *Seen {
	var facts any
	if s.Look != nil {
		facts = s.Look(content)
	}
	o := relation.FromContent(s.Prune(s.Kind, content))
	return &Seen{Object: o, Entry: relation.NewEntry(o), Facts: facts}
}

// put hands an object on. Only the goroutine of the watch calls it and complete, which writes the field Anew.
func (s *Source) put(o *Seen) {
	o.Anew = s.Anew
	s.Sink.Put(o)
}

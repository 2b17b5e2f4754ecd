// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/watch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
)

// source is one watch. It keeps the names of objects, nothing else. While a first list comes in, its objects are packed.
type source struct {
	client  dynamic.Interface
	mapping *meta.RESTMapping
	query   Query // without a type
	// emit is called for each event, with the name of the object; empty for a state.
	emit func(ctx context.Context, name string, e Event)

	ctx  context.Context // of the watch
	stop context.CancelFunc

	mu      sync.Mutex
	names   map[relation.ID]bool
	missing map[string]bool // verbs
	listed  bool            // a list was in
	lost    bool            // the last request got no answer
	gone    bool            // the server does not have the type any more
}

func (s *source) resource() dynamic.ResourceInterface {
	r := s.client.Resource(s.mapping.Resource)
	if s.query.Namespace != "" {
		return r.Namespace(s.query.Namespace)
	}
	return r
}

// run watches until the context ends or the type is gone, and reports whether it is gone.
func (s *source) run(parent context.Context) bool {
	s.ctx, s.stop = context.WithCancel(context.WithValue(parent, lostKey{}, s.cut))
	defer s.stop()
	s.names, s.missing = map[relation.ID]bool{}, map[string]bool{}
	graph := relation.NewPacked(nil) // which packs the objects of a first list
	w := &watch.Watch[relation.ID, relation.Entry]{
		Client: s.client, Resource: s.resource(), Kind: s.mapping.GroupVersionKind.String(), Answered: s.report, Read: s.read,
		Narrow: func(o *metav1.ListOptions) {
			o.LabelSelector, o.FieldSelector = s.query.Selector, s.query.Fields
			if s.query.Name != "" {
				o.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.query.Name).String()
			}
		},
		Pack: graph.Pack, Key: func(e *relation.Entry) relation.ID { return e.ID }, Known: s.known,
		Put: func(e *relation.Entry) { s.put(graph.Open(e)) }, Remove: s.lose, Listed: s.served,
	}
	w.Run(s.ctx)
	if parent.Err() != nil || !s.gone {
		return false
	}
	for id := range s.names {
		s.emit(parent, "", Event{Gone: id, Mapping: s.mapping})
	}
	return true
}

// report turns an answer of the server into an event. A success is an event if a watch resumes after a failure; otherwise the complete list
// is one.
func (s *source) report(verb string, o metav1.ListOptions, err error) {
	resumed := verb == "watch" && o.SendInitialEvents == nil && o.ResourceVersion != ""
	if s.ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) {
		return
	}
	state, why := Served, ""
	s.mu.Lock()
	refused := len(s.missing) > 0
	quiet := false
	switch {
	case err == nil:
		delete(s.missing, verb)
		quiet = !refused && !(s.lost && resumed) || len(s.missing) > 0 || !s.listed
		s.lost = s.lost && quiet
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		s.missing[verb] = true
		state, why = Forbidden, s.missingVerbs()
		quiet = verb == "watch" && !s.listed // the reflector lists next, which may be permitted
	case apierrors.IsNotFound(err):
		s.gone, quiet = true, true
	default:
		s.lost = true
		state, why = Unreachable, s.failed(verb, err)
	}
	gone := s.gone
	s.mu.Unlock()
	if gone {
		s.stop()
	}
	if !quiet {
		s.emitState(state, why)
	}
}

// emitState sends a state, which every event without an object has.
func (s *source) emitState(state Reason, why string) {
	s.emit(s.ctx, "", Event{State: state, Why: why, Mapping: s.mapping})
}

// failed returns "watch jobs.batch: connection refused".
func (s *source) failed(verb string, err error) string {
	return fmt.Sprintf("%s %s: %s", verb, s.mapping.Resource.GroupResource(), withoutURL(err))
}

// cut reports that the connection of a watch does not answer: what is known may be out of date until the server answers again.
func (s *source) cut(err error) {
	s.mu.Lock()
	first := s.listed && !s.lost
	s.lost = s.lost || first
	s.mu.Unlock()
	if first && s.ctx.Err() == nil {
		s.emitState(Unreachable, s.failed("watch", err))
	}
}

// missingVerbs returns "you may not list and watch jobs.batch in namespace x".
func (s *source) missingVerbs() string {
	var verbs []string
	for _, verb := range []string{"list", "watch"} {
		if s.missing[verb] {
			verbs = append(verbs, verb)
		}
	}
	return mayNot(strings.Join(verbs, " and "), s.mapping.Resource.GroupResource().String(), s.query.Namespace)
}

// mayNot says that a permission is missing, in words.
func mayNot(verb, resource, namespace string) string {
	text := fmt.Sprintf("you may not %s %s", verb, resource)
	if namespace != "" {
		text += " in namespace " + namespace
	}
	return text
}

// read sets the kind of an object, which metadata alone lacks, and trims the managed fields.
func (s *source) read(content map[string]any) *relation.Entry {
	content["apiVersion"], content["kind"] = s.mapping.GroupVersionKind.ToAPIVersionAndKind()
	trimManaged(content)
	return relation.NewEntry(relation.FromContent(content))
}

// known returns the objects that exist.
func (s *source) known() []relation.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.names))
}

func (s *source) put(o *relation.Object) {
	s.mu.Lock()
	s.names[o.ID] = true
	s.mu.Unlock()
	s.emit(s.ctx, o.Name, Event{Object: o, Mapping: s.mapping})
}

func (s *source) lose(id relation.ID) {
	s.mu.Lock()
	delete(s.names, id)
	s.mu.Unlock()
	s.emit(s.ctx, id.Name, Event{Gone: id, Mapping: s.mapping})
}

// served reports that a list is complete.
func (s *source) served() {
	s.mu.Lock()
	first := !s.listed
	s.listed, s.lost = true, false
	refused := len(s.missing) > 0
	s.mu.Unlock()
	if first || !refused {
		s.emitState(Served, "")
	}
}

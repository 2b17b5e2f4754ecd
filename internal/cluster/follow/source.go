// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/packed"
	"github.com/tristate/tristate/internal/watch"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
)

// source is one watch. It keeps the names of objects, nothing else. While a first list comes in, its objects are packed.
type source struct {
	client                    dynamic.Interface
	mapping                   *meta.RESTMapping
	namespace, selector, name string
	fields                    string // a selector
	// emit is called for each event, with the name of the object; empty for a state.
	emit func(ctx context.Context, name string, e Event)

	ctx  context.Context // of the watch
	stop context.CancelFunc

	mu      sync.Mutex
	names   map[string]bool
	missing map[string]bool // verbs
	listed  bool            // a list was in
	lost    bool            // the last request got no answer
	gone    bool            // the server has lost the type
}

// entry is an object on its way, packed while a first list is still coming in.
type entry struct {
	key    string
	object *unstructured.Unstructured // nil: packed
	packed []byte
}

func (s *source) resource() dynamic.ResourceInterface {
	r := s.client.Resource(s.mapping.Resource)
	if s.namespace != "" {
		return r.Namespace(s.namespace)
	}
	return r
}

// run watches until the context ends or the type is gone, and reports whether it is gone.
func (s *source) run(parent context.Context) bool {
	s.ctx, s.stop = context.WithCancel(parent)
	defer s.stop()
	s.names, s.missing = map[string]bool{}, map[string]bool{}
	packer := packed.New()
	w := &watch.Watch[string, entry]{
		Client: s.client, Resource: s.resource(), Kind: s.mapping.GroupVersionKind.String(), Answered: s.report, Trim: s.complete,
		Narrow: func(o *metav1.ListOptions) {
			o.LabelSelector, o.FieldSelector = s.selector, s.fields
			if s.name != "" {
				o.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.name).String()
			}
		},
		Read: func(u *unstructured.Unstructured) *entry {
			return &entry{key: Key(u.GetNamespace(), u.GetName()), object: u}
		},
		Pack: func(e *entry) {
			if content, ok := packer.Pack(e.object.Object); ok {
				e.object, e.packed = nil, content
			}
		},
		Unpack: func(e *entry) {
			if e.object == nil {
				content, _ := packer.Unpack(e.packed).(map[string]any)
				e.object = &unstructured.Unstructured{Object: content}
			}
		},
		Key: func(e *entry) string { return e.key }, Known: s.known, Put: s.put, Remove: s.lose, Listed: s.served,
	}
	w.Run(s.ctx)
	if parent.Err() != nil || !s.gone {
		return false
	}
	for key := range s.names {
		s.emit(parent, "", Event{Gone: key, Mapping: s.mapping})
	}
	return true
}

// report turns an answer of the server into an event. Success is reported when a list is complete, or when a watch resumes where it was
// lost.
func (s *source) report(verb string, o metav1.ListOptions, err error) {
	resumed := verb == "watch" && o.SendInitialEvents == nil && o.ResourceVersion != ""
	if s.ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) {
		return
	}
	e := Event{Mapping: s.mapping}
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
		e.State, e.Why = Forbidden, s.missingVerbs()
		quiet = verb == "watch" && !s.listed // a list may still be had, and comes next
	case apierrors.IsNotFound(err):
		s.gone, quiet = true, true
	default:
		s.lost = true
		e.State, e.Why = Trouble, fmt.Sprintf("%s %s: %s", verb, s.mapping.Resource.GroupResource(), plain(err))
	}
	gone := s.gone
	s.mu.Unlock()
	if gone {
		s.stop()
	}
	if !quiet {
		s.emit(s.ctx, "", e)
	}
}

// plain is the message of an error without the URL of the request.
func plain(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	return err.Error()
}

// missingVerbs returns "verbs list, watch on jobs.batch in namespace x are missing".
func (s *source) missingVerbs() string {
	var verbs []string
	for _, verb := range []string{"list", "watch"} {
		if s.missing[verb] {
			verbs = append(verbs, verb)
		}
	}
	where := ""
	if s.namespace != "" {
		where = " in namespace " + s.namespace
	}
	word, are := "verb", "is"
	if len(verbs) > 1 {
		word, are = "verbs", "are"
	}
	return fmt.Sprintf("%s %s on %s%s %s missing", word, strings.Join(verbs, ", "), s.mapping.Resource.GroupResource(), where, are)
}

// complete names the kind of an object, which metadata alone lacks, and trims the managed fields.
func (s *source) complete(u *unstructured.Unstructured) {
	u.SetGroupVersionKind(s.mapping.GroupVersionKind)
	TrimManaged(u.Object)
}

// known returns the keys of the objects that exist.
func (s *source) known() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.names))
}

func (s *source) put(e *entry) {
	s.mu.Lock()
	s.names[e.key] = true
	s.mu.Unlock()
	s.emit(s.ctx, e.object.GetName(), Event{Object: e.object, Mapping: s.mapping})
}

func (s *source) lose(key string) {
	s.mu.Lock()
	delete(s.names, key)
	s.mu.Unlock()
	s.emit(s.ctx, key[strings.LastIndexByte(key, '/')+1:], Event{Gone: key, Mapping: s.mapping})
}

// served reports that a list is complete.
func (s *source) served() {
	s.mu.Lock()
	first := !s.listed
	s.listed, s.lost = true, false
	refused := len(s.missing) > 0
	s.mu.Unlock()
	if first || !refused {
		s.emit(s.ctx, "", Event{State: Served, Mapping: s.mapping})
	}
}

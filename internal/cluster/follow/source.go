// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/packed"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// source is one watch. It is the store of its reflector and keeps the names of objects, nothing else. While a first list comes in, its
// objects are packed.
type source struct {
	client                    dynamic.Interface
	mapping                   *meta.RESTMapping
	namespace, selector, name string
	fields                    string // a selector
	// emit is called for each event, with the name of the object; empty for a state.
	emit func(ctx context.Context, name string, e Event)

	packer *packed.Packer
	ctx    context.Context // of the reflector, which calls without one
	stop   context.CancelFunc

	mu      sync.Mutex
	names   map[string]bool
	missing map[string]bool // verbs
	listed  bool            // a list was in
	lost    bool            // the last request got no answer
	gone    bool            // the server has lost the type
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
	s.names, s.missing, s.packer = map[string]bool{}, map[string]bool{}, packed.New()
	narrow := func(o *metav1.ListOptions) {
		o.LabelSelector, o.FieldSelector = s.selector, s.fields
		if s.name != "" {
			o.FieldSelector = fields.OneTermEqualSelector("metadata.name", s.name).String()
		}
	}
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			narrow(&o)
			list, err := s.resource().List(ctx, o)
			s.report("list", false, err)
			if err != nil {
				return nil, err
			}
			for i := range list.Items {
				s.complete(&list.Items[i])
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			narrow(&o)
			resumed := o.SendInitialEvents == nil && o.ResourceVersion != ""
			w, err := s.resource().Watch(ctx, o)
			s.report("watch", resumed, err)
			return w, err
		},
	}
	cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, s.client), &unstructured.Unstructured{}, s,
		cache.ReflectorOptions{Name: "tristate", TypeDescription: s.mapping.GroupVersionKind.String()}).RunWithContext(s.ctx)
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
func (s *source) report(verb string, resumed bool, err error) {
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

// listed is an object of a first list that is still coming in.
type listed struct {
	key     string
	content []byte
}

// Transformer is a method of cache.TransformingStore.
func (s *source) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		u, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return obj, nil
		}
		s.complete(u)
		content, ok := s.packer.Pack(u.Object)
		if !ok {
			return u, nil
		}
		return listed{Key(u.GetNamespace(), u.GetName()), content}, nil
	}
}

// complete names the kind of an object, which metadata alone lacks, and drops the managed fields.
func (s *source) complete(u *unstructured.Unstructured) {
	u.SetGroupVersionKind(s.mapping.GroupVersionKind)
	u.SetManagedFields(nil)
}

// object returns the object that the reflector passes to its store.
func (s *source) object(obj any) (*unstructured.Unstructured, error) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		s.complete(o)
		return o, nil
	case listed:
		content, _ := s.packer.Unpack(o.content).(map[string]any)
		return &unstructured.Unstructured{Object: content}, nil
	}
	return nil, fmt.Errorf("watch of %s gave a %T", s.mapping.Resource, obj)
}

// Add is a method of cache.ReflectorStore.
func (s *source) Add(obj any) error {
	u, err := s.object(obj)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.names[Key(u.GetNamespace(), u.GetName())] = true
	s.mu.Unlock()
	s.emit(s.ctx, u.GetName(), Event{Object: u, Mapping: s.mapping})
	return nil
}

// Update is a method of cache.ReflectorStore.
func (s *source) Update(obj any) error { return s.Add(obj) }

// Delete is a method of cache.ReflectorStore.
func (s *source) Delete(obj any) error {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("watch of %s gave a %T", s.mapping.Resource, obj)
	}
	s.lose(Key(u.GetNamespace(), u.GetName()))
	return nil
}

func (s *source) lose(key string) {
	s.mu.Lock()
	delete(s.names, key)
	s.mu.Unlock()
	s.emit(s.ctx, key[strings.LastIndexByte(key, '/')+1:], Event{Gone: key, Mapping: s.mapping})
}

// Replace is a method of cache.ReflectorStore: objects that are not in the list are gone.
func (s *source) Replace(list []any, _ string) error {
	now := make(map[string]bool, len(list))
	for _, item := range list {
		switch o := item.(type) {
		case listed:
			now[o.key] = true
		case *unstructured.Unstructured:
			now[Key(o.GetNamespace(), o.GetName())] = true
		}
	}
	var lost []string
	s.mu.Lock()
	for key := range s.names {
		if !now[key] {
			lost = append(lost, key)
		}
	}
	s.mu.Unlock()
	for _, key := range lost {
		s.lose(key)
	}
	for i, item := range list {
		list[i] = nil
		if err := s.Add(item); err != nil {
			return err
		}
	}
	s.mu.Lock()
	first := !s.listed
	s.listed, s.lost = true, false
	refused := len(s.missing) > 0
	s.mu.Unlock()
	if first || !refused {
		s.emit(s.ctx, "", Event{State: Served, Mapping: s.mapping})
	}
	return nil
}

// Resync is a method of cache.ReflectorStore.
func (s *source) Resync() error { return nil }

// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Watch is one watch. K names an object, and *V is the form in which its user keeps one. Fields without a remark are required.
type Watch[K comparable, V any] struct {
	Client   dynamic.Interface
	Resource dynamic.ResourceInterface
	Kind     string                    // for logs
	Backoff  *wait.Backoff             // between tries; nil: the reflector's
	Narrow   func(*metav1.ListOptions) // adds selectors; nil: all objects
	// Answered is called for each answer to a request, with the verb list or watch; it may be nil.
	Answered func(verb string, o metav1.ListOptions, err error)

	// Read returns the form in which an object is kept. It may change the map.
	Read func(content map[string]any) *V
	// Pack makes an object small until the rest of its list is there; nil: it stays as it is.
	Pack func(*V)

	Key    func(*V) K // also of a packed one
	Known  func() []K // those that were put and not removed
	Put    func(*V)   // also of a packed one
	Remove func(K)
	Listed func()
}

// Run watches until the context ends. The reflector logs nothing: Answered has its errors.
func (w *Watch[K, V]) Run(ctx context.Context) {
	narrow := func(o *metav1.ListOptions) {
		if w.Narrow != nil {
			w.Narrow(o)
		}
	}
	answered := func(verb string, o metav1.ListOptions, err error) {
		if w.Answered != nil {
			w.Answered(verb, o, err)
		}
	}
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			narrow(&o)
			list, err := w.Resource.List(ctx, o)
			answered("list", o, err)
			if err != nil {
				return nil, err
			}
			out := &page{Items: make([]runtime.Object, len(list.Items))}
			out.ResourceVersion, out.Continue, out.RemainingItemCount = list.GetResourceVersion(), list.GetContinue(), list.GetRemainingItemCount()
			for i := range list.Items {
				out.Items[i] = &kept[V]{w.keep(list.Items[i].Object)}
				list.Items[i].Object = nil
			}
			return out, nil
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			narrow(&o)
			events, err := w.Resource.Watch(ctx, o)
			answered("watch", o, err)
			return events, err
		},
	}
	ctx = klog.NewContext(ctx, klog.Logger{})
	cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, w.Client), &unstructured.Unstructured{}, w,
		cache.ReflectorOptions{Name: "tristate", TypeDescription: w.Kind, Backoff: w.Backoff}).RunWithContext(ctx)
}

// keep returns the form in which an object is kept until the rest of its list is there.
func (w *Watch[K, V]) keep(content map[string]any) *V {
	entry := w.Read(content)
	if w.Pack != nil {
		w.Pack(entry)
	}
	return entry
}

// page is a page of a list whose objects have the form in which they are kept, each in a kept: the reflector only passes them on.
type page struct {
	metav1.ListMeta
	Items []runtime.Object
}

func (*page) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (p *page) DeepCopyObject() runtime.Object { return p }

// kept is an object of a page.
type kept[V any] struct{ entry *V }

func (*kept[V]) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (k *kept[V]) DeepCopyObject() runtime.Object { return k }

// entry returns the form in which an object that the reflector passes to its store is kept.
func (w *Watch[K, V]) entry(obj any) (*V, error) {
	switch o := obj.(type) {
	case *V:
		return o, nil
	case *kept[V]:
		return o.entry, nil
	case *unstructured.Unstructured:
		return w.Read(o.Object), nil
	}
	return nil, fmt.Errorf("watch of %s returned a %T", w.Kind, obj)
}

// Transformer is a method of cache.TransformingStore: a reflector that collects a first list keeps each object as w does.
func (w *Watch[K, V]) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		entry, err := w.entry(obj)
		if err == nil && w.Pack != nil {
			w.Pack(entry)
		}
		return entry, err
	}
}

// Add is a method of cache.ReflectorStore.
func (w *Watch[K, V]) Add(obj any) error {
	entry, err := w.entry(obj)
	if err == nil {
		w.Put(entry)
	}
	return err
}

// Update is a method of cache.ReflectorStore.
func (w *Watch[K, V]) Update(obj any) error { return w.Add(obj) }

// Delete is a method of cache.ReflectorStore.
func (w *Watch[K, V]) Delete(obj any) error {
	entry, err := w.entry(obj)
	if err == nil {
		w.Remove(w.Key(entry))
	}
	return err
}

// Replace is a method of cache.ReflectorStore: objects that are not in the list are gone.
func (w *Watch[K, V]) Replace(list []any, _ string) error {
	listed := make(map[K]bool, len(list))
	for i, item := range list {
		entry, err := w.entry(item)
		if err != nil {
			return err
		}
		list[i] = entry
		listed[w.Key(entry)] = true
	}
	for _, key := range w.Known() {
		if !listed[key] {
			w.Remove(key)
		}
	}
	for i := range list {
		entry, _ := list[i].(*V)
		list[i] = nil // so that its memory is free once it is put
		w.Put(entry)
	}
	w.Listed()
	return nil
}

// Resync is a method of cache.ReflectorStore.
func (w *Watch[K, V]) Resync() error { return nil }

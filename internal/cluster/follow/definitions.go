// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/crd"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// askAgain is how often discovery is asked where definitions may not be watched.
const askAgain = 5 * time.Second

// definitions finds types that are not served yet. It keeps the definitions of those that are.
type definitions struct {
	f   *follower
	ctx context.Context // of the follower: reflectors call their store without one

	mu    sync.Mutex
	types map[string]*crd.Definition // that are served, by name
}

// run watches definitions until the context ends.
func (d *definitions) run(ctx context.Context) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	refused := make(chan struct{})
	once := sync.OnceFunc(func() { close(refused) })
	note := func(err error) {
		if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
			once()
		}
	}
	resource := d.f.client.Resource(crd.Resource)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := resource.List(ctx, o)
			note(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := resource.Watch(ctx, o)
			note(err)
			return w, err
		},
	}
	reflector := cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, d.f.client), &unstructured.Unstructured{}, d,
		cache.ReflectorOptions{Name: "tristate", TypeDescription: "definitions"})
	d.f.wait.Go(func() { reflector.RunWithContext(watching) })
	select {
	case <-ctx.Done():
		return
	case <-refused:
		stop()
	}
	for ctx.Err() == nil {
		for _, word := range d.f.awaits() {
			if m, err := d.f.kind(word, true); err == nil {
				d.f.found(ctx, word, m)
			}
		}
		sleep(ctx, askAgain)
	}
}

// look starts to follow awaited types that have a definition now.
func (d *definitions) look(ctx context.Context) {
	for _, word := range d.f.awaits() {
		if m := d.find(word); m != nil {
			d.f.found(ctx, word, m)
		}
	}
}

// find returns the type that a word means, by plural, singular, kind or short name, with or without version and group.
func (d *definitions) find(word string) *meta.RESTMapping {
	name, rest, _ := strings.Cut(strings.ToLower(word), ".")
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(d.types)) {
		t := d.types[key]
		if !slices.Contains(t.Words(), name) {
			continue
		}
		served := t.Served()
		if rest == "" || rest == t.Spec.Group {
			return t.Mapping(served[0])
		}
		for _, v := range served {
			if rest == v+"."+t.Spec.Group {
				return t.Mapping(v)
			}
		}
	}
	return nil
}

// Add is a method of cache.ReflectorStore.
func (d *definitions) Add(obj any) error {
	d.put(obj)
	d.look(d.ctx)
	return nil
}

func (d *definitions) put(obj any) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return
	}
	t, err := crd.Read(u.Object)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.types, u.GetName())
	if err == nil && t.Established() && len(t.Served()) > 0 {
		d.types[u.GetName()] = t
	}
}

// Update is a method of cache.ReflectorStore.
func (d *definitions) Update(obj any) error { return d.Add(obj) }

// Delete is a method of cache.ReflectorStore.
func (d *definitions) Delete(obj any) error {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		d.mu.Lock()
		delete(d.types, u.GetName())
		d.mu.Unlock()
	}
	return nil
}

// Replace is a method of cache.ReflectorStore.
func (d *definitions) Replace(list []any, _ string) error {
	d.mu.Lock()
	clear(d.types)
	d.mu.Unlock()
	for _, obj := range list {
		d.put(obj)
	}
	d.look(d.ctx)
	return nil
}

// Resync is a method of cache.ReflectorStore.
func (d *definitions) Resync() error { return nil }

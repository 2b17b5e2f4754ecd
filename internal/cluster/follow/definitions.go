// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

var definitionsResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// askAgain is how often discovery is asked where definitions may not be watched.
const askAgain = 5 * time.Second

// definitions looks out for types that are not served yet. It keeps the names and versions of those that are.
type definitions struct {
	f   *follower
	ctx context.Context // of the follower: reflectors call their store without one

	mu    sync.Mutex
	types map[string]definition // by the name of the CRD
}

// definition is what a CRD says of the names of a type.
type definition struct {
	mapping *meta.RESTMapping
	words   []string // lower-case
	served  []string // versions
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
	resource := d.f.client.Resource(definitionsResource)
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

// look compares what is awaited with what is known.
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
	for _, crd := range slices.Sorted(maps.Keys(d.types)) {
		t := d.types[crd]
		if !slices.Contains(t.words, name) {
			continue
		}
		m := *t.mapping
		if rest == "" || rest == m.Resource.Group {
			return &m
		}
		for _, v := range t.served {
			if rest == v+"."+m.Resource.Group {
				m.Resource.Version, m.GroupVersionKind.Version = v, v
				return &m
			}
		}
	}
	return nil
}

// read takes from a CRD what find needs; false where objects of it cannot be read yet.
func read(u *unstructured.Unstructured) (definition, bool) {
	text := func(fields ...string) string { s, _, _ := unstructured.NestedString(u.Object, fields...); return s }
	established := false
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range list {
		if m, ok := c.(map[string]any); ok && m["type"] == "Established" && m["status"] == "True" {
			established = true
		}
	}
	var d definition
	versions, _, _ := unstructured.NestedSlice(u.Object, "spec", "versions")
	for _, v := range versions {
		if m, ok := v.(map[string]any); ok && m["served"] == true {
			if name, ok := m["name"].(string); ok {
				d.served = append(d.served, name)
			}
		}
	}
	if !established || len(d.served) == 0 {
		return d, false
	}
	slices.SortFunc(d.served, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	group, plural, kind := text("spec", "group"), text("spec", "names", "plural"), text("spec", "names", "kind")
	short, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "names", "shortNames")
	d.words = append([]string{plural, cmp.Or(text("spec", "names", "singular"), strings.ToLower(kind)), strings.ToLower(kind)}, short...)
	scope := meta.RESTScopeRoot
	if text("spec", "scope") == "Namespaced" {
		scope = meta.RESTScopeNamespace
	}
	gv := schema.GroupVersion{Group: group, Version: d.served[0]}
	d.mapping = &meta.RESTMapping{Resource: gv.WithResource(plural), GroupVersionKind: gv.WithKind(kind), Scope: scope}
	return d, true
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
	t, ok := read(u)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.types, u.GetName())
	if ok {
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

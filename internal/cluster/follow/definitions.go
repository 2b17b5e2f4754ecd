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

	"k8s.io/apimachinery/pkg/api/meta"
)

// askAgain is how often discovery is asked where definitions may not be watched.
const askAgain = 5 * time.Second

// definitions finds types that are not served yet. It keeps the definitions of those that are.
type definitions struct {
	f *follower

	mu     sync.Mutex
	types  map[string]*crd.Definition // that are served, by name
	listed bool                       // the first list is in
}

// run watches definitions until the context ends. Where they may not be read it asks discovery instead, now and then.
func (d *definitions) run(ctx context.Context) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	refused := make(chan struct{})
	once := sync.OnceFunc(func() { close(refused) })
	resource := crd.Resource
	s := &source{client: d.f.client, mapping: &meta.RESTMapping{Resource: resource, GroupVersionKind: resource.GroupVersion().WithKind(crd.Kind.Kind), Scope: meta.RESTScopeRoot}}
	s.emit = func(ctx context.Context, name string, e Event) {
		if e.State == Forbidden {
			once()
		} else if d.take(name, e) {
			d.look(ctx)
		}
	}
	d.f.wait.Go(func() { s.run(watching) })
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

// take handles an event, and reports whether awaited types may be served now: not before the whole first list is in.
func (d *definitions) take(name string, e Event) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.Object == nil && e.Gone == "" {
		d.listed = d.listed || e.State == Served
		return e.State == Served
	}
	delete(d.types, name)
	if e.Object != nil {
		if t, err := crd.Read(e.Object.Object); err == nil && t.Established() && len(t.Served()) > 0 {
			d.types[name] = t
		}
	}
	return d.listed && e.Object != nil
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

// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/crd"
	"k8s.io/apimachinery/pkg/api/meta"
)

// askAgain is how often discovery is asked where definitions may not be watched.
const askAgain = 5 * time.Second

// definitions finds types that are not served yet.
type definitions struct {
	f      *follower
	known  crd.Tracker
	listed bool // the first list is in; only the watch touches it
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
	if e.Object == nil && e.Gone == "" {
		d.listed = d.listed || e.State == Served
		return e.State == Served
	}
	d.known.Remove(name)
	if e.Object != nil {
		if t, err := crd.Read(e.Object.Object); err == nil {
			d.known.Put(t)
		}
	}
	return d.listed && e.Object != nil
}

// look starts to follow awaited types that have a definition now.
func (d *definitions) look(ctx context.Context) {
	for _, word := range d.f.awaits() {
		if m := d.known.Find(word); m != nil {
			d.f.found(ctx, word, m)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/crd"
	"k8s.io/apimachinery/pkg/api/meta"
)

// askAgain is how often discovery is asked where definitions may not be watched.
const askAgain = 5 * time.Second

// definitions finds types that are not served yet.
type definitions struct {
	f      *Follower
	known  crd.Tracker
	listed bool // the first list is in; only the watch touches it
}

// run watches definitions until the context ends. Where they may not be read it asks discovery instead, every few seconds.
func (d *definitions) run() {
	ctx := d.f.ctx
	watching, stop := context.WithCancel(ctx)
	defer stop()
	refused := make(chan struct{})
	once := sync.OnceFunc(func() { close(refused) })
	s := &source{client: d.f.cluster.Client, mapping: &meta.RESTMapping{Resource: crd.Resource,
		GroupVersionKind: crd.Resource.GroupVersion().WithKind(crd.Kind.Kind), Scope: meta.RESTScopeRoot}}
	s.emit = func(_ context.Context, name string, e Event) {
		if e.State == Forbidden {
			once()
		} else if d.take(name, e) {
			d.look()
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
			d.f.cluster.Served.Reset()
			if m, err := d.f.cluster.Kind(word); err == nil {
				d.f.found(word, m)
			}
		}
		sleep(ctx, askAgain)
	}
}

// take handles an event, and reports whether awaited types may be served now: not before the whole first list is in.
func (d *definitions) take(name string, e Event) bool {
	if e.Object == nil && e.Gone.Name == "" {
		d.listed = d.listed || e.State == Served
		return e.State == Served
	}
	d.known.Remove(name)
	if e.Object != nil {
		if t, err := crd.Read(e.Object.Content); err == nil {
			d.known.Put(t)
		}
	}
	return d.listed && e.Object != nil
}

// look starts to follow awaited types that have a definition now.
func (d *definitions) look() {
	for _, word := range d.f.awaits() {
		if m := d.known.Find(word); m != nil {
			d.f.found(word, m)
		}
	}
}

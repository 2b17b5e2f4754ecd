// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/tristate/tristate/internal/declare/crd"
	"github.com/tristate/tristate/verdict"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// Expect returns what custom resource definitions promise of objects. Each definition is read once, when it is first needed; one that may
// not be read or does not exist promises nothing. Any other error goes to fail, unless that is nil: a verdict without the promise may be
// another one.
func (c *Cluster) Expect(ctx context.Context, fail func(*Error)) func(group, kind string) verdict.Expectation {
	var mu sync.Mutex
	known := map[schema.GroupKind]verdict.Expectation{}
	return func(group, kind string) verdict.Expectation {
		if !strings.Contains(group, ".") {
			return verdict.Expectation{} // no definition can have such a group
		}
		gk := schema.GroupKind{Group: group, Kind: kind}
		mu.Lock()
		defer mu.Unlock()
		x, ok := known[gk]
		if !ok {
			if m, err := c.Served.RESTMapping(gk); err == nil {
				name := m.Resource.GroupResource().String()
				content, err := c.Client.Resource(crd.Resource).Get(ctx, name, metav1.GetOptions{})
				if failed := (&Error{Verb: "get", Resource: crd.Resource.GroupResource().String(), Name: name, Err: err}); err != nil &&
					!failed.Steady() {
					if fail != nil {
						fail(failed)
					}
					return x
				}
				if err == nil {
					if d, err := crd.Read(content.Object); err == nil {
						x = verdict.ExpectationOf(d.StatusSchema(m.Resource.Version))
					}
				}
			}
			known[gk] = x
		}
		return x
	}
}

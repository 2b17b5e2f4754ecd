// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/discovery"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// allTypes is the Resource of an error about the discovery of every type.
const allTypes = "all types"

// Type is a type of the server whose objects can be listed.
type Type struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
	Status     bool // it has a status subresource
}

// Types returns the types of the server whose objects can be listed, each kind once, in the version that is read: the preferred one of its
// group, or the first of the others that has it. Each version of a group whose types cannot be found is an error.
func (c *Cluster) Types() ([]Type, []*Error) {
	groups, err := c.Served.Groups()
	if err != nil {
		return nil, []*Error{{Verb: Find, Resource: allTypes, Err: err}}
	}
	failed := c.silent()
	seen := map[schema.GroupKind]bool{}
	var out []Type
	for gv, r := range discovery.Listable(groups...) {
		if gk := (schema.GroupKind{Group: gv.Group, Kind: r.Kind}); !seen[gk] {
			seen[gk] = true
			out = append(out, Type{GroupVersionResource: gv.WithResource(r.Name), Kind: r.Kind, Namespaced: r.Namespaced, Status: r.Status})
		}
	}
	return out, failed
}

// WithStatus returns a query for every type of the server whose objects have a status: those that can be listed and have a status
// subresource. also adds kinds without one. If c reads one namespace, cluster-scoped types are left out. It returns the errors of
// [Cluster.Types].
func (c *Cluster) WithStatus(also func(schema.GroupKind) bool) ([]Query, []*Error) {
	types, failed := c.Types()
	var out []Query
	for _, t := range types {
		if (c.Namespace == "" || t.Namespaced) && (t.Status || also != nil && also(schema.GroupKind{Group: t.Group, Kind: t.Kind})) {
			out = append(out, Query{Type: t.Resource + "." + t.Version + "." + t.Group})
		}
	}
	return out, failed
}

// silent returns an error for each version of a group whose server does not answer, in order.
func (c *Cluster) silent() []*Error {
	groups, _ := c.Served.Groups() // an error of all of discovery is one of the request that follows
	var out []*Error
	for version, err := range discovery.Failed(groups...) {
		out = append(out, &Error{Verb: Find, Resource: version, Err: err})
	}
	return SortErrors(out)
}

// near returns the name of a type of the server that differs little from a word; empty without one.
func (c *Cluster) near(word string) string {
	groups, _ := c.Served.Groups() // those that could be discovered are better than none
	var names []string
	for _, r := range discovery.Listable(groups...) {
		names = append(names, r.Name, strings.ToLower(r.Kind))
		for _, short := range r.ShortNames {
			if len(short) > 3 { // of shorter ones some are near to any typing error
				names = append(names, short)
			}
		}
	}
	return catalog.Nearest(word, names)
}

// several is how many requests are on their way at a time.
const several = 8

// NamedAtOnce is Named with several requests at a time. each is never called concurrently.
func (c *Cluster) NamedAtOnce(ctx context.Context, targets []Query, each func(*relation.Object)) []*Error {
	var mu sync.Mutex
	var failed []*Error
	atOnce(targets, func(t Query) {
		errs := c.Named(ctx, []Query{t}, func(o *relation.Object) {
			mu.Lock()
			defer mu.Unlock()
			each(o)
		})
		mu.Lock()
		defer mu.Unlock()
		failed = append(failed, errs...)
	})
	return SortErrors(failed)
}

// atOnce calls do for each of a list, several at a time, and returns when all are done.
func atOnce[E any](list []E, do func(E)) {
	var all sync.WaitGroup
	room := make(chan struct{}, several)
	for _, e := range list {
		room <- struct{}{}
		all.Go(func() {
			do(e)
			<-room
		})
	}
	all.Wait()
}

// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/relation"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// allTypes is the Resource of an error about the discovery of every type.
const allTypes = "all types"

// WithStatus returns a query for every type of the server whose objects have a status: those that can be listed and have a status
// subresource, each in the preferred version of its group. also adds kinds without one. If c reads one namespace, cluster-scoped
// types are left out. An error about groups that cannot be discovered is returned with the types of the others.
func (c *Cluster) WithStatus(also func(schema.GroupKind) bool) ([]Query, *Error) {
	_, lists, err := c.Discovery.ServerGroupsAndResources()
	var failed *Error
	if err != nil {
		failed = &Error{Verb: "find", Resource: allTypes, Err: err}
	}
	seen := map[schema.GroupKind]bool{}
	var out []Query
	for _, list := range lists { // the preferred version of a group comes first
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range list.APIResources {
			gk := schema.GroupKind{Group: gv.Group, Kind: r.Kind}
			if strings.Contains(r.Name, "/") || seen[gk] || !slices.Contains(r.Verbs, "list") || c.Namespace != "" && !r.Namespaced {
				continue
			}
			status := slices.ContainsFunc(list.APIResources, func(sub metav1.APIResource) bool { return sub.Name == r.Name+"/status" })
			if !status && (also == nil || !also(gk)) {
				continue
			}
			seen[gk] = true
			out = append(out, Query{Type: r.Name + "." + gv.Version + "." + gv.Group})
		}
	}
	return out, failed
}

// several is how many requests are on their way at a time.
const several = 8

// NamedAtOnce is Named with several requests at a time. each is never called concurrently.
func (c *Cluster) NamedAtOnce(ctx context.Context, targets []Query, each func(*relation.Object)) []*Error {
	var group errgroup.Group
	group.SetLimit(several)
	var mu sync.Mutex
	var failed []*Error
	for _, t := range targets {
		group.Go(func() error {
			errs := c.Named(ctx, []Query{t}, func(o *relation.Object) {
				mu.Lock()
				defer mu.Unlock()
				each(o)
			})
			mu.Lock()
			defer mu.Unlock()
			failed = append(failed, errs...)
			return nil
		})
	}
	_ = group.Wait() // the errors are in failed
	return SortErrors(failed)
}

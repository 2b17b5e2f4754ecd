// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/internal/declare/nested"
	"github.com/tristate/tristate/internal/fleet/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Related puts every object that may be in the trees of the roots into the graph of a view. It reads only the kinds that the objects
// reached so far lead to, each with one list, or two if it is needed in a second namespace; several at a time. It returns the errors, in
// order; the kinds of these are not covered, so that none of their objects counts as missing. What healthy objects refer to is read last,
// to find what does not exist; a kind of it that the user may not list is no error.
func (c *Cluster) Related(ctx context.Context, v *relation.View, ids []relation.ID) (failed []*Error) {
	var mu sync.Mutex
	fail := func(err *Error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			failed = append(failed, err)
		}
	}
	v.Candidates = func(gk schema.GroupKind) []schema.GroupKind {
		kinds, err := c.candidateKinds(gk)
		fail(err)
		return kinds
	}
	c.remaining(ctx, v.Graph, ids, fail)
	asked := map[schema.GroupKind]string{}
	read := func(wanted []relation.Want, fail func(*Error)) (more bool) {
		report := func(w relation.Want, err *Error) {
			if err != nil {
				err.Aside = w.Aside
				fail(err)
			}
		}
		var round []relation.Want
		joined := map[schema.GroupKind][]relation.Want{} // several that are asked for in one list
		for _, w := range wanted {
			namespace, again := asked[w.GroupKind]
			switch {
			case again && (namespace == "" || namespace == w.Namespace):
				continue
			case again:
				joined[w.GroupKind] = append(joined[w.GroupKind], w)
				w.Namespace = ""
			}
			asked[w.GroupKind] = w.Namespace
			round = slices.DeleteFunc(round, func(other relation.Want) bool {
				if other.GroupKind == w.GroupKind {
					joined[w.GroupKind] = append(joined[w.GroupKind], other)
				}
				return other.GroupKind == w.GroupKind
			})
			round = append(round, w)
		}
		atOnce(round, func(w relation.Want) {
			err := c.read(ctx, v.Graph, w.ID)
			if several := joined[w.GroupKind]; err != nil && err.Reason() == Forbidden && len(several) > 0 {
				for _, w := range several { // one of the namespaces may be permitted
					report(w, c.read(ctx, v.Graph, w.ID))
				}
				return
			}
			report(w, err)
		})
		return len(round) > 0 && ctx.Err() == nil
	}
	for ctx.Err() == nil && read(v.Wanted(ids), fail) {
	}
	if ctx.Err() == nil && !v.Counting {
		read(v.Needed(ids), func(err *Error) {
			if err.Reason() != Forbidden {
				fail(err)
			}
		})
	}
	return SortErrors(failed)
}

var remains = regexp.MustCompile(`([a-z0-9-]+)\.([a-z0-9.-]*) has \d+ resource instances`)

// remaining reads the kinds whose objects remain in namespaces that are being deleted, by the conditions of these.
func (c *Cluster) remaining(ctx context.Context, g *relation.Graph, ids []relation.ID, fail func(*Error)) {
	for _, id := range ids {
		o := g.Get(id)
		if id.GroupKind != (schema.GroupKind{Kind: "Namespace"}) || o == nil || !o.Deleting {
			continue
		}
		for _, condition := range nested.Maps(o.Content, "status", "conditions") {
			for _, found := range remains.FindAllStringSubmatch(nested.Text(condition, "message"), -1) {
				resource := schema.GroupResource{Group: found[2], Resource: found[1]}
				gvk, err := c.Served.KindFor(resource.WithVersion(""))
				if err != nil {
					fail(&Error{Verb: Find, Resource: resource.String(), Err: err})
					continue
				}
				fail(c.read(ctx, g, relation.ID{GroupKind: gvk.GroupKind(), Namespace: id.Name}))
			}
		}
	}
}

// read lists a kind into the graph. A kind that is not served has no objects.
func (c *Cluster) read(ctx context.Context, g *relation.Graph, w relation.ID) *Error {
	m, err := c.Served.RESTMapping(w.GroupKind)
	switch {
	case meta.IsNoMatchError(err):
		return nil
	case err != nil:
		return &Error{Verb: Find, Resource: w.GroupKind.String(), Err: err}
	}
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		w.Namespace = ""
	}
	if err := c.list(ctx, m, w.Namespace, "", func(o *relation.Object) { g.Put(o) }); err != nil {
		return &Error{Verb: "list", Resource: m.Resource.GroupResource().String(), Namespace: w.Namespace, Err: err}
	}
	g.Cover(w.GroupKind, w.Namespace)
	return nil
}

// commonKinds are kinds that operators commonly create.
func commonKinds() []schema.GroupKind {
	return []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
		{Group: "batch", Kind: "Job"}, {Group: "batch", Kind: "CronJob"}, {Kind: "Pod"}, {Kind: "Service"}, {Kind: "PersistentVolumeClaim"},
		{Kind: "ConfigMap"}, {Kind: "Secret"}, {Kind: "ServiceAccount"}, {Group: "networking.k8s.io", Kind: "Ingress"},
		{Group: "policy", Kind: "PodDisruptionBudget"}, {Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}}
}

// candidateKinds returns the kinds that an object of a kind without declared relations may own: those that operators commonly create, and
// those of its API group, its subdomains and its parent domains.
func (c *Cluster) candidateKinds(gk schema.GroupKind) ([]schema.GroupKind, *Error) {
	out := commonKinds()
	if gk.Group == "" {
		return out, nil
	}
	types, failed := c.Types()
	if len(types) == 0 && len(failed) > 0 {
		return out, &Error{Verb: Find, Resource: "*." + gk.Group, Err: failed[0].Err}
	}
	for _, t := range types {
		if related(t.Group, gk.Group) {
			out = append(out, schema.GroupKind{Group: t.Group, Kind: t.Kind})
		}
	}
	return out, nil
}

// Candidates returns the kinds that an object of a kind without declared relations may own, as far as they can be discovered.
func (c *Cluster) Candidates(gk schema.GroupKind) []schema.GroupKind {
	kinds, _ := c.candidateKinds(gk)
	return kinds
}

// related reports whether API groups are the same or one is a subdomain of the other.
func related(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

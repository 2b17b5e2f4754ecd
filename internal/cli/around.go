// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tristate/tristate/relation"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// around puts every object that can stand in the trees of the roots into the graph of a view. It reads only the kinds that the objects
// reached so far lead to, each with one list, or two where it is needed in a second namespace; several at a time. A kind that cannot be
// listed is a warning, and nothing of it is said to be missing.
func (c *cluster) around(ctx context.Context, v *relation.View, ids []relation.ID) error {
	v.Kin = c.kin
	c.remaining(ctx, v.Graph, ids)
	asked := map[schema.GroupKind]string{}
	for {
		var wait sync.WaitGroup
		slots := make(chan struct{}, 8)
		var round []relation.Want
		for _, w := range v.Wanted(ids) {
			namespace, again := asked[w.GroupKind]
			switch {
			case again && (namespace == "" || namespace == w.Namespace):
				continue
			case again:
				w.Namespace = ""
			}
			asked[w.GroupKind] = w.Namespace
			round = slices.DeleteFunc(round, func(other relation.Want) bool { return other.GroupKind == w.GroupKind })
			round = append(round, w)
		}
		if len(round) == 0 {
			return nil
		}
		for _, w := range round {
			wait.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				c.read(ctx, v.Graph, w)
			})
		}
		wait.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

var remains = regexp.MustCompile(`([a-z0-9-]+)\.([a-z0-9.-]*) has \d+ resource instances`)

// remaining reads the kinds of which namespaces that are being deleted say that something remains.
func (c *cluster) remaining(ctx context.Context, g *relation.Graph, ids []relation.ID) {
	for _, id := range ids {
		o := g.Get(id)
		if id.GroupKind != (schema.GroupKind{Kind: "Namespace"}) || o == nil || !o.Deleting {
			continue
		}
		list, _, _ := unstructured.NestedSlice(o.Content, "status", "conditions")
		for _, condition := range list {
			m, _ := condition.(map[string]any)
			message, _ := m["message"].(string)
			for _, found := range remains.FindAllStringSubmatch(message, -1) {
				gvk, err := c.mapper.KindFor(schema.GroupVersionResource{Group: found[2], Resource: found[1]})
				if err != nil {
					c.warn(err.Error())
					continue
				}
				c.read(ctx, g, relation.Want{GroupKind: gvk.GroupKind(), Namespace: id.Name})
			}
		}
	}
}

// read lists a kind into the graph.
func (c *cluster) read(ctx context.Context, g *relation.Graph, w relation.Want) {
	m, err := c.mapper.RESTMapping(w.GroupKind)
	switch {
	case meta.IsNoMatchError(err):
		return // not served here
	case err != nil:
		c.warn("find " + w.GroupKind.String() + ": " + err.Error())
		return
	}
	r := *c
	r.namespace = w.Namespace
	err = r.list(ctx, m, "", func(o *relation.Object) { g.Put(o) })
	if err == nil {
		if m.Scope.Name() == meta.RESTScopeNameRoot {
			w.Namespace = ""
		}
		g.Cover(w.GroupKind, w.Namespace)
	} else if ctx.Err() == nil {
		c.warn(c.explain(err, "list", m).Error())
	}
}

// made are kinds that operators commonly make.
func made() []schema.GroupKind {
	return []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
		{Group: "batch", Kind: "Job"}, {Group: "batch", Kind: "CronJob"}, {Kind: "Pod"}, {Kind: "Service"}, {Kind: "PersistentVolumeClaim"},
		{Kind: "ConfigMap"}, {Kind: "Secret"}, {Kind: "ServiceAccount"}, {Group: "networking.k8s.io", Kind: "Ingress"},
		{Group: "policy", Kind: "PodDisruptionBudget"}, {Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}}
}

// kin gives the kinds that one of which nothing is declared may own: those that operators commonly make, and those of its API group, of
// the groups below it and above it.
func (c *cluster) kin(gk schema.GroupKind) []schema.GroupKind {
	out := made()
	if gk.Group == "" {
		return out
	}
	lists, err := c.discovery.ServerPreferredResources()
	if err != nil && len(lists) == 0 {
		c.warn("find the kinds of group " + gk.Group + ": " + err.Error())
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || !related(gv.Group, gk.Group) {
			continue
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list") {
				out = append(out, schema.GroupKind{Group: gv.Group, Kind: r.Kind})
			}
		}
	}
	return out
}

// related tells whether API groups are the same or one is a subdomain of the other.
func related(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}

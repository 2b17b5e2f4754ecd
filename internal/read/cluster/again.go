// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"

	"github.com/tristate/tristate/internal/read/relation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Again reads an object into a graph with its managed fields, which other calls drop; without a name, the objects of its kind in its
// namespace. Of what cannot be read, the graph stays as it is.
func (c *Cluster) Again(ctx context.Context, g *relation.Graph, id relation.ID) {
	m, err := c.Served.RESTMapping(id.GroupKind)
	if err != nil {
		return
	}
	put := func(u *unstructured.Unstructured) {
		u.SetGroupVersionKind(m.GroupVersionKind) // which metadata alone lacks
		g.Put(relation.FromContent(u.Object))
	}
	client := c.Client.Resource(m.Resource).Namespace(id.Namespace)
	if id.Name != "" {
		if u, err := client.Get(ctx, id.Name, metav1.GetOptions{}); err == nil {
			put(u)
		}
		return
	}
	list, err := client.List(ctx, metav1.ListOptions{Limit: pageSize})
	if err != nil {
		return
	}
	for i := range list.Items {
		put(&list.Items[i])
	}
}

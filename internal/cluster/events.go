// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"

	"github.com/tristate/tristate/internal/relation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxEvents is how many events about one object are read.
const maxEvents = 500

// Events puts the events about an object into a graph.
func (c *Cluster) Events(ctx context.Context, g *relation.Graph, id relation.ID) *Error {
	namespace := id.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	about := fields.Set{"involvedObject.kind": id.Kind, "involvedObject.name": id.Name}
	list, err := c.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "events"}).Namespace(namespace).
		List(ctx, metav1.ListOptions{FieldSelector: about.String(), Limit: maxEvents})
	if err != nil {
		return &Error{Verb: "list", Resource: "events", Namespace: namespace, Err: err}
	}
	for i := range list.Items {
		g.Put(relation.FromContent(list.Items[i].Object))
	}
	return nil
}

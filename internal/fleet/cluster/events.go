// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strconv"

	"github.com/tristate/tristate/internal/fleet/relation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// maxWarnings is how many warnings of a cluster are read.
const maxWarnings = 5000

// Warnings calls each for the warnings of a namespace; an empty one means the namespace of c, or all.
// more reports whether there were too many to read them all.
func (c *Cluster) Warnings(ctx context.Context, namespace string, each func(*relation.Object)) (more bool, failed *Error) {
	namespace = cmp.Or(namespace, c.Namespace)
	resource := c.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "events"}).Namespace(namespace)
	options := metav1.ListOptions{FieldSelector: fields.Set{"type": "Warning"}.String(), Limit: maxEvents}
	for n := 0; ; {
		list, err := resource.List(ctx, options)
		if err != nil {
			return false, &Error{Verb: "list", Resource: "events", Namespace: namespace, Err: err}
		}
		for i := range list.Items {
			each(relation.FromContent(list.Items[i].Object))
		}
		n += len(list.Items)
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return false, nil
		}
		if n >= maxWarnings {
			return true, nil
		}
	}
}

// Whole returns the content of one object with its managed fields, which other requests drop. It needs no right but list.
func (c *Cluster) Whole(ctx context.Context, m *meta.RESTMapping, id relation.ID) (map[string]any, *Error) {
	list, err := c.Client.Resource(m.Resource).Namespace(id.Namespace).List(ctx,
		metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", id.Name).String(), Limit: 1})
	if err != nil {
		return nil, &Error{Verb: "list", Resource: m.Resource.GroupResource().String(), Namespace: id.Namespace, Name: id.Name, Err: err}
	}
	if len(list.Items) == 0 {
		return nil, &Error{Verb: "list", Resource: m.Resource.GroupResource().String(), Namespace: id.Namespace, Name: id.Name,
			Err: apierrors.NewNotFound(m.Resource.GroupResource(), id.Name)}
	}
	return list.Items[0].Object, nil
}

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

// maxLog is how many bytes of a log are read.
const maxLog = 1 << 18

// Logs returns the last lines of the log of a container: of its run, or of the one before.
func (c *Cluster) Logs(ctx context.Context, pod relation.ID, container string, previous bool, lines int) ([]string, *Error) {
	body, err := c.raw.Get().AbsPath("api", "v1", "namespaces", pod.Namespace, "pods", pod.Name, "log").
		Param("container", container).Param("previous", strconv.FormatBool(previous)).Param("tailLines", strconv.Itoa(lines)).Stream(ctx)
	if err != nil {
		return nil, &Error{Verb: "get", Resource: "pods/log", Namespace: pod.Namespace, Name: pod.Name, Err: err}
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxLog))
	if err != nil {
		return nil, &Error{Verb: "get", Resource: "pods/log", Namespace: pod.Namespace, Name: pod.Name, Err: err}
	}
	var out []string
	for line := range bytes.Lines(data) {
		out = append(out, string(bytes.TrimRight(line, "\r\n")))
	}
	return out[max(len(out)-lines, 0):], nil
}

// SPDX-License-Identifier: Apache-2.0

package enqueue

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Mapped returns a handler from a function.
func Mapped(requests func(context.Context, client.Object) []reconcile.Request) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(requests)
}

// Named returns the request of one object; none for an empty name.
func Named(namespace, name string) []reconcile.Request {
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}
}

// Owner enqueues the owner of a kind in the namespace of the child.
func Owner(gv schema.GroupVersion, kind string) handler.EventHandler { return OwnedBy(gv, kind, Named) }

// OwnedBy enqueues the requests that request returns for the namespace of the child and the name of its owner of a kind.
func OwnedBy(gv schema.GroupVersion, kind string, request func(namespace, owner string) []reconcile.Request) handler.EventHandler {
	return Mapped(func(_ context.Context, child client.Object) []reconcile.Request {
		for _, owner := range child.GetOwnerReferences() {
			if owner.Kind == kind && owner.APIVersion == gv.String() {
				return request(child.GetNamespace(), owner.Name)
			}
		}
		return nil
	})
}

// Labelled enqueues the object that the labels of a child name.
func Labelled(namespace, name string) handler.EventHandler {
	return Mapped(func(_ context.Context, child client.Object) []reconcile.Request {
		return Named(child.GetLabels()[namespace], child.GetLabels()[name])
	})
}

// All returns the names of all objects of a kind, or of those that options select; those being deleted do not count.
func All(ctx context.Context, c client.Reader, list client.ObjectList, options ...client.ListOption) ([]types.NamespacedName, error) {
	return names(ctx, c, list, options...)
}

// Indexed returns the names of the objects of a namespace that an index has under a value; those being deleted do not count.
func Indexed(ctx context.Context, c client.Reader, list client.ObjectList, namespace, index, value string) ([]types.NamespacedName, error) {
	return names(ctx, c, list, client.InNamespace(namespace), client.MatchingFields{index: value})
}

func names(ctx context.Context, c client.Reader, list client.ObjectList, options ...client.ListOption) ([]types.NamespacedName, error) {
	if err := c.List(ctx, list, options...); err != nil {
		return nil, err
	}
	found, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	var out []types.NamespacedName
	for _, o := range found {
		if o := o.(client.Object); o.GetDeletionTimestamp().IsZero() {
			out = append(out, client.ObjectKeyFromObject(o))
		}
	}
	return out, nil
}

// Requests returns the requests of names.
func Requests(names []types.NamespacedName, err error) []reconcile.Request {
	if err != nil {
		return nil
	}
	out := make([]reconcile.Request, 0, len(names))
	for _, n := range names {
		out = append(out, reconcile.Request{NamespacedName: n})
	}
	return out
}

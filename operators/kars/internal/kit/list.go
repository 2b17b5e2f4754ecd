// SPDX-License-Identifier: Apache-2.0

package kit

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// items are the objects of a list.
func items(list client.ObjectList) ([]client.Object, error) {
	found, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	out := make([]client.Object, 0, len(found))
	for _, o := range found {
		out = append(out, o.(client.Object))
	}
	return out, nil
}

// Names lists the names of the objects that an index has under a value; those being deleted do not count.
func Names(ctx context.Context, c client.Reader, list client.ObjectList, namespace, index, value string) ([]types.NamespacedName, error) {
	if err := c.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{index: value}); err != nil {
		return nil, err
	}
	found, err := items(list)
	if err != nil {
		return nil, err
	}
	var out []types.NamespacedName
	for _, o := range found {
		if o.GetDeletionTimestamp().IsZero() {
			out = append(out, client.ObjectKeyFromObject(o))
		}
	}
	return out, nil
}

// Requests enqueues all names.
func Requests(names []types.NamespacedName, err error) []reconcile.Request {
	if err != nil { // the cache has no other error than an index that is missing, which Setup would have reported
		return nil
	}
	out := make([]reconcile.Request, 0, len(names))
	for _, n := range names {
		out = append(out, reconcile.Request{NamespacedName: n})
	}
	return out
}

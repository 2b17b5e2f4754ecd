// SPDX-License-Identifier: Apache-2.0

// Package enqueue maps an object that changed to the requests of the reconcilers that it concerns. A [Signal] is for what no watch shows.
//
//	b.Watches(&corev1.ConfigMap{}, enqueue.Owner(api.GroupVersion, "Gadget")).
//		Watches(&api.Shelf{}, enqueue.Mapped(func(ctx context.Context, o client.Object) []reconcile.Request {
//			return enqueue.Requests(enqueue.Indexed(ctx, cache, &api.GadgetList{}, o.GetNamespace(), "shelf", o.GetName()))
//		}))
//
// All functions read the cache only, so an error means a mistake of the wiring, such as an index that does not exist; it enqueues nothing.
package enqueue

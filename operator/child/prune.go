// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Prune deletes the children of an owner that are not desired any more, with the objects that they own: those of the kind of list, and of
// the options where, whose namespace and name none of desired has. An owner prunes after all its other writes have succeeded.
//
//	err := children.Prune(ctx, gadget, &corev1.ConfigMapList{}, desired, client.InNamespace(gadget.Namespace))
//
// An object is deleted only if it has the label [LabelManaged], the writer has applied it, and it names this owner, by its controlling
// owner reference or else its annotation. It is read from the API server before that, and the API server refuses the deletion if it
// was changed since. Any other object is left alone, and no error. An object that cannot be deleted does not keep the others.
func (c *Writer) Prune(ctx context.Context, owner client.Object, list client.ObjectList, desired []client.Object,
	where ...client.ListOption) error {
	if err := c.Client.List(ctx, list, append(where, client.MatchingLabels{LabelManaged: c.label()})...); err != nil {
		return err
	}
	found, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	parent, err := apiutil.GVKForObject(owner, c.Client.Scheme())
	if err != nil {
		return err
	}
	gvk, err := apiutil.GVKForObject(list, c.Client.Scheme())
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	i := intent{of: identity{parent.Kind, owner.GetNamespace(), owner.GetName()}, uid: owner.GetUID()}
	keep := map[client.ObjectKey]bool{}
	for _, o := range desired {
		keep[client.ObjectKeyFromObject(o)] = true
	}
	var errs []error
	for _, o := range found {
		o, ok := o.(client.Object)
		if !ok || keep[client.ObjectKeyFromObject(o)] || !o.GetDeletionTimestamp().IsZero() || !c.names(&i, o) {
			continue
		}
		i.ref = reference{gvk, client.ObjectKeyFromObject(o)}
		errs = append(errs, c.prune(ctx, &i))
	}
	return errors.Join(errs...)
}

// prune deletes an object if it is a child of its owner.
func (c *Writer) prune(ctx context.Context, i *intent) error {
	defer c.lock(i.ref)()
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(i.ref.GroupVersionKind)
	if err := c.Live.Get(ctx, i.ref.ObjectKey, live); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return nil
		}
		return unread(i, err)
	}
	if live.GetLabels()[LabelManaged] != c.label() || !c.wrote(live) || !c.names(i, live) || !live.GetDeletionTimestamp().IsZero() {
		return nil
	}
	return c.delete(ctx, i, live, client.Preconditions{UID: ptr.To(live.GetUID()), ResourceVersion: ptr.To(live.GetResourceVersion())})
}

// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// identity names an owner.
type identity struct{ kind, namespace, name string }

// String returns "KIND NAMESPACE/NAME", or "KIND NAME".
func (i identity) String() string {
	if i.namespace == "" {
		return i.kind + " " + i.name
	}
	return i.kind + " " + i.namespace + "/" + i.name
}

// mark returns the value of the annotation: KIND/NAMESPACE/NAME/UID.
func (i identity) mark(uid types.UID) string {
	return i.kind + "/" + i.namespace + "/" + i.name + "/" + string(uid)
}

// parseMark reads the annotation of a child.
func parseMark(mark string) (of identity, ok bool) {
	parts := strings.Split(mark, "/")
	if len(parts) != 4 {
		return identity{}, false
	}
	return identity{parts[0], parts[1], parts[2]}, true
}

// Names returns kind and name of the owner that the annotation of an object names. It is proof only in the operator's own namespace.
func (c *Writer) Names(o metav1.Object) (kind string, owner types.NamespacedName, ok bool) {
	of, ok := parseMark(o.GetAnnotations()[c.annotationOwner()])
	return of.kind, types.NamespacedName{Namespace: of.namespace, Name: of.name}, ok
}

// OwnedError is an object that belongs to another owner, or that the operator did not create.
type OwnedError struct {
	Object string // KIND NAMESPACE/NAME
	Owner  string // likewise; empty: the operator did not create the object
	text   string
}

// Error names the object and its owner.
func (e *OwnedError) Error() string { return e.text }

func (c *Writer) foreign(i *intent) error {
	return &OwnedError{Object: i.ref.String(), text: fmt.Sprintf("%s exists and was not created by %s", i.ref, c.Manager)}
}

func (c *Writer) others(i *intent, owner string) error {
	return &OwnedError{Object: i.ref.String(), Owner: owner, text: fmt.Sprintf("%s belongs to %s", i.ref, owner)}
}

// names reports whether an object names the intent's owner: a controlling owner reference outranks the annotation.
func (c *Writer) names(i *intent, o metav1.Object) bool {
	if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
		return ref.UID == i.uid || ref.Kind == i.of.kind && ref.Name == i.of.name && o.GetNamespace() == i.of.namespace
	}
	of, ok := parseMark(o.GetAnnotations()[c.annotationOwner()])
	return ok && of == i.of
}

// owned returns an error where an object is not a child of the intent's owner.
func (c *Writer) owned(ctx context.Context, i *intent, existing metav1.Object) error {
	if c.needsClaim(i) {
		return c.proven(ctx, i, existing)
	}
	if c.names(i, existing) {
		return nil
	}
	if ref := metav1.GetControllerOfNoCopy(existing); ref != nil {
		if !c.wrote(existing) {
			return c.foreign(i)
		}
		return c.others(i, identity{ref.Kind, existing.GetNamespace(), ref.Name}.String())
	}
	if of, ok := parseMark(existing.GetAnnotations()[c.annotationOwner()]); ok {
		return c.others(i, of.String())
	}
	if !c.wrote(existing) {
		if i.policy.Adopt {
			return nil
		}
		return c.foreign(i)
	}
	for key, want := range i.labels { // the mark was removed
		if have, there := existing.GetLabels()[key]; there && have != want && strings.HasPrefix(key, c.Domain+"/") {
			return c.others(i, fmt.Sprintf("the owner that its label %s=%s names", key, have))
		}
	}
	return nil
}

// wrote reports whether the writer has written an object: its label may have been removed.
func (c *Writer) wrote(existing metav1.Object) bool {
	return slices.ContainsFunc(existing.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == c.Manager &&
			e.Subresource == ""
	})
}

// marked reports whether a child has the mark of exactly this owner.
func (c *Writer) marked(i *intent, existing metav1.Object) bool {
	return existing.GetAnnotations()[c.annotationOwner()] == i.of.mark(i.uid)
}

// Owns returns an error if an object that exists is not a child of the owner: an [OwnedError].
func (c *Writer) Owns(ctx context.Context, owner, existing client.Object) error {
	i, err := c.intend(owner, existing, Policy{})
	if err != nil {
		return err
	}
	return c.owned(ctx, i, existing)
}

// inside returns an error where a child may not be in its namespace.
func (c *Writer) inside(ctx context.Context, i *intent) error {
	if i.ref.Namespace == "" || i.ref.Namespace == i.of.namespace || i.ref.Namespace == c.Home {
		return nil
	}
	space := &corev1.Namespace{}
	key := client.ObjectKey{Name: i.ref.Namespace}
	err := c.Client.Get(ctx, key, space)
	if apierrors.IsNotFound(err) { // the cache may be behind
		err = c.Live.Get(ctx, key, space)
	}
	if err != nil {
		return fmt.Errorf("read Namespace %s: %s", key.Name, Reason(err))
	}
	return c.Owns(ctx, i.owner, space)
}

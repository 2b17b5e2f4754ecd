// SPDX-License-Identifier: Apache-2.0

package child

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// LabelManaged is the label that every child carries; its value is the manager.
const LabelManaged = "app.kubernetes.io/managed-by"

// Writer writes children. Its client's cache has to hold the objects with [LabelManaged] at least.
type Writer struct {
	Client         client.Client
	Live           client.Reader
	Manager        string // field manager, and the value of LabelManaged
	HashAnnotation string // has the hash of the object that was applied last
}

// Exists reports whether a child is there.
func (c *Writer) Exists(ctx context.Context, key client.ObjectKey, into client.Object) (bool, error) {
	err := c.Client.Get(ctx, key, into)
	return err == nil, client.IgnoreNotFound(err)
}

// Ensure creates or updates a child: one server-side apply, or none where nothing changes. An object of the same name that the operator
// did not create is left alone and is an error.
func (c *Writer) Ensure(ctx context.Context, desired client.Object) error {
	return c.EnsureAs(ctx, desired, c.Manager)
}

// Applied reports whether a live object is the result of applying desired: an [Writer.Ensure] of it would do nothing, whatever others have changed since.
func (c *Writer) Applied(desired, live client.Object) bool {
	hash, _, err := c.hash(desired, desired.GetObjectKind().GroupVersionKind())
	return err == nil && live.GetAnnotations()[c.HashAnnotation] == hash
}

// hash returns the hash of the object that is applied for desired, and its labels.
func (c *Writer) hash(desired client.Object, gvk schema.GroupVersionKind) (string, map[string]string, error) {
	labels := maps.Clone(desired.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[LabelManaged] = c.Manager
	object := desired.DeepCopyObject().(client.Object)
	object.GetObjectKind().SetGroupVersionKind(gvk)
	object.SetLabels(labels)
	data, err := json.Marshal(object)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), labels, nil
}

// EnsureAs is Ensure under another field manager, for objects that several parents share.
func (c *Writer) EnsureAs(ctx context.Context, desired client.Object, manager string) error {
	gvk, err := apiutil.GVKForObject(desired, c.Client.Scheme())
	if err != nil {
		return err
	}
	desired.GetObjectKind().SetGroupVersionKind(gvk)
	hash, labels, err := c.hash(desired, gvk)
	if err != nil {
		return err
	}
	desired.SetLabels(labels)
	shared := manager != c.Manager
	if !shared {
		annotations := maps.Clone(desired.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[c.HashAnnotation] = hash
		desired.SetAnnotations(annotations)
	}
	existing := desired.DeepCopyObject().(client.Object)
	name := fmt.Sprintf("%s %s", gvk.Kind, client.ObjectKeyFromObject(desired))
	err = c.Client.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	switch {
	case apierrors.IsNotFound(err):
		// The cache may be behind, or the object not ours.
		live := &metav1.PartialObjectMetadata{}
		live.SetGroupVersionKind(gvk)
		if err := c.Live.Get(ctx, client.ObjectKeyFromObject(desired), live); err == nil && live.Labels[LabelManaged] != c.Manager {
			return fmt.Errorf("%s exists and was not created by %s", name, c.Manager)
		} else if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("read %s: %s", name, Reason(err))
		}
	case err != nil:
		return fmt.Errorf("read %s: %s", name, Reason(err))
	case existing.GetLabels()[LabelManaged] != c.Manager: // the cache has all ConfigMaps of the operator's namespace
		return fmt.Errorf("%s exists and was not created by %s", name, c.Manager)
	case !existing.GetDeletionTimestamp().IsZero():
		return fmt.Errorf("%s is being deleted", name)
	case c.same(existing, desired, shared):
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(manager), client.ForceOwnership); err != nil {
		return &WriteError{text: fmt.Sprintf("write %s: %s", name, Reason(err)), err: err}
	}
	return nil
}

// Remove deletes a child if it is there; an object of the same name that the operator did not create is left alone.
func (c *Writer) Remove(ctx context.Context, o client.Object) error {
	existing := o.DeepCopyObject().(client.Object)
	exists, err := c.Exists(ctx, client.ObjectKeyFromObject(o), existing)
	if err != nil || !exists || existing.GetLabels()[LabelManaged] != c.Manager || !existing.GetDeletionTimestamp().IsZero() {
		return err
	}
	if err := c.Client.Delete(ctx, existing); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %s: %s", o, client.ObjectKeyFromObject(o), Reason(err))
	}
	return nil
}

// WriteError is an apply that was refused. It unwraps to the answer of the API server.
type WriteError struct {
	text string
	err  error
}

// Error returns "write KIND NAMESPACE/NAME: " and the text of the answer without the parts that change from one attempt to the next.
func (e *WriteError) Error() string { return e.text }

// Unwrap returns the answer of the API server.
func (e *WriteError) Unwrap() error { return e.err }

// same reports whether an apply would change nothing. The data of ConfigMaps is compared, which people edit; of other kinds the hash
// of the object that was applied last.
func (c *Writer) same(existing, desired client.Object, shared bool) bool {
	have, isMap := existing.(*corev1.ConfigMap)
	if isMap {
		want := desired.(*corev1.ConfigMap)
		if shared {
			for key, value := range want.Data {
				if have.Data[key] != value {
					return false
				}
			}
			return len(want.Data) > 0
		}
		if !maps.Equal(have.Data, want.Data) {
			return false
		}
	}
	return existing.GetAnnotations()[c.HashAnnotation] == desired.GetAnnotations()[c.HashAnnotation]
}

// Reason returns the text of an error of the API server without the parts that change from one attempt to the next.
func Reason(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Message
	}
	return err.Error()
}

// ConfigMap returns the desired ConfigMap that publishes data, owned by an object of the same namespace.
func (c *Writer) ConfigMap(owner client.Object, name string, data, annotations map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: name, Annotations: annotations, OwnerReferences: []metav1.OwnerReference{c.OwnerOf(owner)}},
		Data:       data,
	}
}

// OwnerOf returns the controlling owner reference to an object.
func (c *Writer) OwnerOf(owner client.Object) metav1.OwnerReference {
	gvk, err := apiutil.GVKForObject(owner, c.Client.Scheme())
	if err != nil {
		panic("child: owner is not in the scheme: " + err.Error()) // a mistake of the wiring
	}
	return *metav1.NewControllerRef(owner, gvk)
}

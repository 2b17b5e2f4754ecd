// SPDX-License-Identifier: Apache-2.0

package child

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// reference names a child.
type reference struct {
	schema.GroupVersionKind
	client.ObjectKey
}

// String returns "KIND NAMESPACE/NAME", or "KIND NAME".
func (r reference) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// intent is a child as its owner wants it.
type intent struct {
	owner   client.Object
	of      identity
	uid     types.UID
	ref     reference
	labels  map[string]string
	content *unstructured.Unstructured // as it is applied
	hash    string                     // of the content without marks and the fields that are written at the creation only
	policy  Policy

	object   client.Object // of the author
	attempts int           // changes that met a conflict
}

// intend renders the object that is applied for desired.
func (c *Writer) intend(owner, desired client.Object, p Policy) (*intent, error) {
	scheme := c.Client.Scheme()
	gvk, err := apiutil.GVKForObject(desired, scheme)
	if err != nil {
		return nil, err
	}
	parent, err := apiutil.GVKForObject(owner, scheme)
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	unclaim(reflect.ValueOf(desired), content)
	i := &intent{owner: owner, of: identity{parent.Kind, owner.GetNamespace(), owner.GetName()}, uid: owner.GetUID(),
		ref:     reference{gvk, client.ObjectKeyFromObject(desired)},
		content: &unstructured.Unstructured{Object: content}, policy: p, object: desired}
	encodeSecret(desired, content)
	unstructured.RemoveNestedField(content, "status")
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	i.content.SetGroupVersionKind(gvk)
	i.labels = maps.Clone(desired.GetLabels())
	if i.labels == nil {
		i.labels = map[string]string{}
	}
	i.labels[LabelManaged] = c.label()
	i.content.SetLabels(i.labels)
	lasting := content
	if len(p.Initial) > 0 {
		lasting = i.content.DeepCopy().Object
		for _, path := range p.Initial {
			unstructured.RemoveNestedField(lasting, strings.Split(path, ".")...)
		}
	}
	data, err := json.Marshal(lasting)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	i.hash = hex.EncodeToString(sum[:16])
	annotations := maps.Clone(desired.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[c.annotationHash()], annotations[c.annotationOwner()] = i.hash, i.of.mark(i.uid)
	i.content.SetAnnotations(annotations)
	return i, nil
}

// blank returns what the child is read into: the whole object where stored values are needed, and its metadata otherwise.
func (i *intent) blank() client.Object {
	if _, dynamic := i.object.(*unstructured.Unstructured); dynamic && len(i.policy.Initial) > 0 {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(i.ref.GroupVersionKind)
		return u
	} else if len(i.policy.Initial) > 0 {
		return reflect.New(reflect.TypeOf(i.object).Elem()).Interface().(client.Object)
	}
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(i.ref.GroupVersionKind)
	return live
}

// encodeSecret moves stringData, which is written and never read, to data: it would be claimed under a name that the stored object does not
// have.
func encodeSecret(desired client.Object, content map[string]any) {
	s, ok := desired.(*corev1.Secret)
	if !ok || len(s.StringData) == 0 {
		return
	}
	data, _ := content["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range s.StringData {
		data[key] = base64.StdEncoding.EncodeToString([]byte(text))
	}
	content["data"] = data
	delete(content, "stringData")
}

func (c *Writer) label() string           { return cmp.Or(c.Label, c.Manager) }
func (c *Writer) annotationHash() string  { return c.Domain + "/applied-hash" }
func (c *Writer) annotationOwner() string { return c.Domain + "/owner" }

// unread is an error of a read.
func unread(i *intent, err error) error {
	return &WriteError{text: fmt.Sprintf("read %s: %s", i.ref, Reason(err)), err: err}
}

// WriteError is a write that was refused, or that was not made because its child could not be read. It unwraps to the answer of the API
// server.
type WriteError struct {
	text string
	err  error
}

// Error returns "write KIND NAMESPACE/NAME: ", or the same with read or delete, and the text of the answer without the parts that change
// from one attempt to the next.
func (e *WriteError) Error() string { return e.text }

// Unwrap returns the answer of the API server.
func (e *WriteError) Unwrap() error { return e.err }

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
		ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: name, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{c.OwnerOf(owner)}},
		Data: data,
	}
}

// OwnerOf returns the controlling owner reference to an object.
func (c *Writer) OwnerOf(owner client.Object) metav1.OwnerReference {
	gvk, err := apiutil.GVKForObject(owner, c.Client.Scheme())
	if err != nil {
		panic(fmt.Sprintf("child: owner %T is not in the scheme: %v", owner, err)) // a mistake of the wiring
	}
	return *metav1.NewControllerRef(owner, gvk)
}

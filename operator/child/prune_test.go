// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/operator/child"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// shelf is a ConfigMap, owned by the owner of the yard by its annotation alone.
func (y *yard) shelf(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: y.owner.Namespace, Name: name}, Data: map[string]string{"a": "b"}}
}

// shelves are the names of all ConfigMaps but that of the API server.
func (y *yard) shelves() (out []string) {
	y.Helper()
	var list corev1.ConfigMapList
	if err := y.api.List(y.Context(), &list, client.InNamespace(y.owner.Namespace)); err != nil {
		y.Fatal(err)
	}
	for _, o := range list.Items {
		if o.Name != "kube-root-ca.crt" {
			out = append(out, o.Name)
		}
	}
	slices.Sort(out)
	return out
}

// TestPrune: trap 11, the children that are not desired any more are deleted, and no object that the writer did not apply for this owner.
func TestPrune(t *testing.T) {
	y := newYard(t)
	neighbour := y.shelf("neighbour")
	if err := y.api.Create(t.Context(), neighbour); err != nil {
		t.Fatal(err)
	}
	for name, owner := range map[string]client.Object{"kept": y.owner, "left": y.owner, "marked-by-hand": nil, "nameless": y.owner,
		"of-neighbour": neighbour, "owned": y.owner} {
		o := y.shelf(name)
		if owner == nil { // by another writer, with everything that a child carries
			o.Labels = map[string]string{child.LabelManaged: "gadget-operator"}
			o.Annotations = map[string]string{"example.dev/owner": "ConfigMap/" + y.owner.Namespace + "/owner/" + string(y.owner.UID)}
			if err := y.api.Create(t.Context(), o, client.FieldOwner("hand")); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if name == "owned" {
			o.OwnerReferences = []metav1.OwnerReference{y.writer.OwnerOf(owner)}
		}
		if err := y.writer.Ensure(t.Context(), owner, o); err != nil {
			t.Fatal(err)
		}
	}
	nameless := y.shelf("nameless")
	if err := y.api.Patch(t.Context(), nameless, client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata":{"annotations":{"example.dev/owner":null}}}`)), client.FieldOwner("hand")); err != nil {
		t.Fatal(err)
	}
	list := &metav1.PartialObjectMetadataList{} // metadata alone is enough
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	if err := y.writer.Prune(t.Context(), y.owner, list, []client.Object{y.shelf("kept")}, client.InNamespace(y.owner.Namespace)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"kept", "marked-by-hand", "nameless", "neighbour", "of-neighbour", "owner"}, y.shelves()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestPruneBehind: a cache that is behind does not make Prune delete what others have made in place of a child.
func TestPruneBehind(t *testing.T) {
	y := newYard(t)
	if err := y.writer.Ensure(t.Context(), y.owner, y.shelf("left")); err != nil {
		t.Fatal(err)
	}
	var seen corev1.ConfigMapList
	if err := y.api.List(t.Context(), &seen, client.InNamespace(y.owner.Namespace)); err != nil {
		t.Fatal(err)
	}
	if err := y.api.Delete(t.Context(), y.shelf("left")); err != nil {
		t.Fatal(err)
	}
	if err := y.api.Create(t.Context(), y.shelf("left")); err != nil {
		t.Fatal(err)
	}
	y.restart(interceptor.NewClient(y.api, interceptor.Funcs{List: func(_ context.Context, _ client.WithWatch, list client.ObjectList,
		_ ...client.ListOption) error {
		seen.DeepCopyInto(list.(*corev1.ConfigMapList))
		return nil
	}}))
	if err := y.writer.Prune(t.Context(), y.owner, &corev1.ConfigMapList{}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"left", "owner"}, y.shelves()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestMetadata: a child of a dynamic kind is written and found by its metadata alone, under a label of its own.
func TestMetadata(t *testing.T) {
	y := newYard(t)
	y.restart(interceptor.NewClient(y.api, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey,
		into client.Object, opts ...client.GetOption) error {
		if _, whole := into.(*unstructured.Unstructured); whole {
			t.Errorf("%s is read whole", key)
		}
		return c.Get(ctx, key, into, opts...)
	}}))
	y.writer.Metadata, y.writer.Label = true, "gadgets"
	desired := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"a": "b"}}}
	desired.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	desired.SetNamespace(y.owner.Namespace)
	desired.SetName("dynamic")
	ensure := func(step string) *corev1.ConfigMap {
		t.Helper()
		if err := y.writer.Ensure(t.Context(), y.owner, desired); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		stored := y.shelf("dynamic")
		if err := y.api.Get(t.Context(), client.ObjectKeyFromObject(stored), stored); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		return stored
	}
	first := ensure("first")
	if got := first.Labels[child.LabelManaged]; got != "gadgets" {
		t.Errorf("the label is %q", got)
	}
	if again := ensure("again"); again.ResourceVersion != first.ResourceVersion {
		t.Error("an unchanged child is written again")
	}
	first.Data["a"] = "c"
	if err := y.api.Update(t.Context(), first, client.FieldOwner("hand")); err != nil {
		t.Fatal(err)
	}
	if got := ensure("edited").Data["a"]; got != "b" {
		t.Errorf("an edit stays: %q", got)
	}
	if err := y.writer.Remove(t.Context(), y.owner, desired); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"owner"}, y.shelves()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestConflict: a conflict about an object that does not exist, or not any more, does not keep a child from being created.
func TestConflict(t *testing.T) {
	y := newYard(t)
	refused := 0
	y.restart(interceptor.NewClient(y.api, interceptor.Funcs{Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration,
		opts ...client.ApplyOption) error {
		if refused++; refused == 1 {
			return apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "shelf", errors.New("it was changed"))
		}
		return c.Apply(ctx, o, opts...)
	}}))
	if err := y.writer.Ensure(t.Context(), y.owner, y.shelf("shelf")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"owner", "shelf"}, y.shelves()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

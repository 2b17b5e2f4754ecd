// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Create creates an object.
func (w *World) Create(t *testing.T, o client.Object) {
	t.Helper()
	if err := w.API.Create(t.Context(), o); err != nil {
		t.Fatalf("create %T %s: %v", o, o.GetName(), err)
	}
}

// Remove deletes an object; one that is gone is no error.
func (w *World) Remove(t *testing.T, o client.Object) {
	t.Helper()
	if err := w.API.Delete(t.Context(), o); client.IgnoreNotFound(err) != nil {
		t.Fatalf("delete %T %s: %v", o, o.GetName(), err)
	}
}

// Leave deletes an object at the end of a scenario; [World.Left] waits until all of them are gone. A namespace takes ten seconds to go, and
// no scenario waits for the namespace of another.
func (w *World) Leave(t *testing.T, o client.Object) {
	t.Helper()
	w.Remove(t, o)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leaving = append(w.leaving, o)
}

// Left waits until everything that was left is gone.
func (w *World) Left(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	leaving := w.leaving
	w.leaving = nil
	w.mu.Unlock()
	for _, o := range leaving {
		w.Gone(t, o)
	}
}

// Gone waits until an object does not exist.
func (w *World) Gone(t *testing.T, o client.Object) {
	t.Helper()
	Eventually(t, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is still there: %v", o.GetName(), err)
		}
		return nil
	})
}

// Edit changes an object as it is stored, and again after a conflict.
func Edit[T client.Object](t *testing.T, w *World, o T, change func(T)) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := w.API.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		change(o)
		return w.API.Update(t.Context(), o)
	})
	if err != nil {
		t.Fatalf("edit %T %s: %v", o, o.GetName(), err)
	}
}

// NewNamespace creates a namespace of a test.
func (w *World) NewNamespace(t *testing.T) string {
	t.Helper()
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "team-"}}
	w.Create(t, n)
	return n.Name
}

// Occupy puts an immutable ConfigMap of another owner where the operator wants to write. Removing it ends that.
func (w *World) Occupy(t *testing.T, namespace, name string) *corev1.ConfigMap {
	t.Helper()
	squatter := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Immutable: ptr.To(true)}
	w.Create(t, squatter)
	return squatter
}

// Cordon lets the nodes take no more pods, or take them again.
func (w *World) Cordon(t *testing.T, on bool) {
	t.Helper()
	var nodes corev1.NodeList
	if err := w.API.List(t.Context(), &nodes); err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		Edit(t, w, &nodes.Items[i], func(n *corev1.Node) { n.Spec.Unschedulable = on })
	}
}

// Eventually repeats a check until it holds.
func Eventually(t *testing.T, check func() error) {
	t.Helper()
	defer Slow(t, time.Now())
	var err error
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = check(); err == nil {
			return
		}
	}
	t.Fatal(err)
}

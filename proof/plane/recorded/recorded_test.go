// SPDX-License-Identifier: Apache-2.0

package recorded_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/recorded"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRestore: an object is restored with what the API server sets itself, and every later change of the kinds is found. It needs a
// control plane of its own, as it writes into its etcd.
func TestRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a control plane")
	}
	p, err := plane.Start(t.Context(), plane.Options{})
	if errors.Is(err, plane.ErrNotBuilt) && os.Getenv("TRISTATE_REQUIRE_PLANE") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(p.Config(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []schema.GroupVersionKind{corev1.SchemeGroupVersion.WithKind("Namespace"), corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		corev1.SchemeGroupVersion.WithKind("Service")}
	keep := func(o *unstructured.Unstructured) bool { return strings.HasPrefix(o.GetName(), "kept") }
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "kept", Name: name} }
	made := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, &corev1.ConfigMap{ObjectMeta: meta("kept-one"),
		Data: map[string]string{"a": "b"}},
		&corev1.Service{ObjectMeta: meta("kept-two"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}}
	for _, o := range made {
		if err := c.Create(t.Context(), o, client.FieldOwner("the version before")); err != nil {
			t.Fatal(err)
		}
	}
	data, err := recorded.Save(t.Context(), c, kinds, keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range made[1:] {
		if err := c.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	r, err := recorded.Restore(t.Context(), c, p.Kubeconfig(), data, kinds, keep)
	if err != nil {
		t.Fatal(err)
	}
	again, err := recorded.Save(t.Context(), c, kinds, keep)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), string(again)); diff != "" {
		t.Errorf("what is restored differs from what was saved: -saved +restored\n%s", diff)
	}
	if err := r.Note(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect := func(want ...string) {
		t.Helper()
		got, err := r.Changed(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("changes: %v -want +got\n%s", err, diff)
		}
	}
	expect()
	one := made[1].(*corev1.ConfigMap)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(one), one); err != nil {
		t.Fatal(err)
	}
	one.Data["a"] = "c"
	for _, err := range []error{c.Update(t.Context(), one), c.Delete(t.Context(), made[2]),
		c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta("kept-three")})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	expect("ConfigMap kept/kept-one: written", "ConfigMap kept/kept-three: created", "Service kept/kept-two: deleted")
}

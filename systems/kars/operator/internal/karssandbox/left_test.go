// SPDX-License-Identifier: Apache-2.0

package karssandbox

import (
	"testing"

	"github.com/tristate/tristate/operator"
	"github.com/tristate/tristate/operator/child"
	api "github.com/tristate/tristate/systems/kars/operator/api/v1alpha1"
	"github.com/tristate/tristate/systems/kars/operator/internal/echo"
	"github.com/tristate/tristate/systems/kars/operator/internal/kit"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestLeft: a sandbox that is gone, with its finalizer removed by hand, leaves neither its namespace behind nor the claim on the name.
func TestLeft(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, api.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithReturnManagedFields().Build()
	e := &kit.Env{Host: &operator.Host{Children: &child.Writer{Client: c, Live: c, Manager: kit.Manager, Domain: kit.Domain, Home: "kars-system"}},
		Settings: kit.Settings{Namespace: "kars-system"}, Poller: &echo.Poller{Store: &echo.Store{}}}
	o := &api.KarsSandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "left"}}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kit.SandboxNamespace("left")}}
	if err := e.Children.Ensure(t.Context(), o, space.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	claims := func() (n int) {
		var list corev1.ConfigMapList
		if err := c.List(t.Context(), &list); err != nil {
			t.Fatal(err)
		}
		return len(list.Items)
	}
	if claims() != 1 {
		t.Fatalf("%d claims", claims())
	}
	for range 2 { // the second time because the namespace is gone
		if err := clearLeft(t.Context(), e, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "left"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(space), space); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the namespace: %v", err)
	}
	if claims() != 0 {
		t.Errorf("%d claims are left", claims())
	}
}

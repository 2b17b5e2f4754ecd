// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// TestHeld: a replica that could not renew its lease in time knows that it may not hold it any more, and that it does once it is renewed.
func TestHeld(t *testing.T) {
	leases := schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{leases: "LeaseList"})
	client.PrependReactor("*", "leases", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if written, is := a.(clienttesting.UpdateAction); is { // or a creation
			u := written.GetObject().DeepCopyObject().(*unstructured.Unstructured)
			u.SetResourceVersion("1")
			return true, u, nil
		}
		return false, nil, nil
	})
	l := &Lease{Client: client.Resource(leases).Namespace("system"), Name: Name, Identity: "me", Note: func(error) {}}
	if err := l.Held(); err != nil {
		t.Errorf("it never held it: %v", err)
	}
	if err := l.Hold(t.Context()); err != nil || l.Held() != nil {
		t.Errorf("it holds it: %v, %v", err, l.Held())
	}
	stood := time.Now().Add(-leaseDeadline)
	l.led.Store(&stood)
	if l.Held() == nil {
		t.Error("it stood still until the end of the lease, and writes")
	}
	if err := l.Hold(t.Context()); err != nil || l.Held() != nil {
		t.Errorf("it is renewed: %v, %v", err, l.Held())
	}
}

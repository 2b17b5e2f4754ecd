// SPDX-License-Identifier: Apache-2.0

package deny_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/proof/plane"
	"github.com/tristate/tristate/proof/plane/deny"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNext: one write that matches is refused, as the client of a program sees it; reads, other writes and the same write again are not.
func TestNext(t *testing.T) {
	config := rest.CopyConfig(plane.ForTest(t))
	var next deny.Next
	config.Wrap(next.Wrap)
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "deny-"}}
	if err := c.Create(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	one := func() *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space.Name, Name: "one"}}
	}
	maps := func(_, path string) bool { return strings.Contains(path, "/"+space.Name+"/configmaps") }
	for code, is := range map[int]func(error) bool{http.StatusForbidden: apierrors.IsForbidden, http.StatusConflict: apierrors.IsConflict,
		http.StatusInternalServerError: apierrors.IsInternalError} {
		next.Write(code, maps)
		if err := c.Create(t.Context(),
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: space.Name, GenerateName: "other-"}}); err != nil {
			t.Errorf("another write: %v", err)
		}
		if err := c.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(space.Name)); err != nil {
			t.Errorf("a read: %v", err)
		}
		if err := c.Create(t.Context(), one()); !is(err) || !strings.Contains(err.Error(), deny.Message) {
			t.Errorf("%d: %v", code, err)
		}
		if err := c.Create(t.Context(), one(), client.DryRunAll); err != nil {
			t.Errorf("the same again: %v", err)
		}
	}
	next.Write(http.StatusForbidden, maps)
	if have := next.End(); len(have) != 3 || !strings.HasPrefix(have[0], "POST /api/v1/namespaces/"+space.Name+"/configmaps: ") {
		t.Errorf("refused: %v", have)
	}
	if err := c.Create(t.Context(), one()); err != nil {
		t.Errorf("after the end: %v", err)
	}
	if diff := cmp.Diff([]string(nil), next.End()); diff != "" {
		t.Errorf("after the end (-want +got):\n%s", diff)
	}
}

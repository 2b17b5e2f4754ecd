// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/proof/plane"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// TestWiden: a kind that is wanted in one namespace, and then in 20, is watched there and then once in all, or in each namespace by a user
// who may not read it in all. The graph has the objects of all of them.
func TestWiden(t *testing.T) {
	config := plane.ForTest(t)
	client, err := dynamic.NewForConfig(plane.OfTest(config))
	if err != nil {
		t.Fatal(err)
	}
	var namespaces []string
	for range 21 {
		namespace := plane.Namespace(t, config)
		namespaces = append(namespaces, namespace)
		if _, err := client.Resource(configMaps).Namespace(namespace).Create(t.Context(), settings("web"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		allow(t, config, namespace)
	}
	one := relation.Want{ID: relation.ID{GroupKind: schema.GroupKind{Kind: "ConfigMap"}}}
	place := func(namespace string) relation.Want {
		w := one
		w.Namespace = namespace
		return w
	}
	for user, want := range map[string]int{"": 2, "of-namespaces": 22} { // paths: the first namespace, then all and, if refused, each
		t.Run("user "+user, func(t *testing.T) {
			var sent selected
			counted := rest.CopyConfig(config)
			counted.Impersonate.UserName = user
			counted.Wrap(sent.wrap)
			cluster, err := Connect(t.Context(), counted, Options{})
			if err != nil {
				t.Fatal(err)
			}
			view := &relation.View{Graph: relation.New(&catalog.Set{})}
			c := cluster.Cache(t.Context(), view)
			until := func(done func() bool) {
				t.Helper()
				for limit := time.After(5 * time.Minute); !done(); {
					select {
					case e := <-c.Events:
						c.Take(e)
					case <-limit:
						t.Fatalf("not all is read: %v", sent.sorted())
					}
				}
			}
			c.Want([]relation.Want{place(namespaces[0])})
			until(c.Read)
			if got := watched(&sent); len(got) != 1 {
				t.Errorf("for one namespace it watches %v", got)
			}
			if err := client.Resource(configMaps).Namespace(namespaces[0]).Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			var more []relation.Want
			for _, namespace := range namespaces {
				more = append(more, place(namespace))
			}
			c.Want(more)
			until(func() bool {
				return c.Read() && view.Graph.Get(relation.ID{GroupKind: one.GroupKind, Namespace: namespaces[0], Name: "web"}) == nil
			})
			if got := watched(&sent); len(got) != want {
				t.Errorf("it watches %d paths, want %d: %v", len(got), want, got)
			}
			var in []string
			for _, id := range view.Graph.IDs(one.GroupKind) {
				if id.Name == "web" && slices.Contains(namespaces, id.Namespace) {
					in = append(in, id.Namespace)
				}
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(namespaces[1:])), slices.Sorted(slices.Values(in))); diff != "" {
				t.Errorf("objects: -want +got\n%s", diff)
			}
			for _, namespace := range namespaces {
				if !view.Graph.Covers(one.GroupKind, namespace) {
					t.Errorf("%s is not covered", namespace)
				}
			}
			first := client.Resource(configMaps).Namespace(namespaces[0])
			if _, err := first.Create(t.Context(), settings("web"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// watched returns the paths of ConfigMaps that were asked for.
func watched(s *selected) []string {
	return slices.Compact(slices.DeleteFunc(s.sorted(), func(path string) bool { return !strings.HasSuffix(path, "/configmaps") }))
}

// allow lets a user list and watch ConfigMaps in a namespace, and waits until the API server knows.
func allow(t *testing.T, config *rest.Config, namespace string) {
	t.Helper()
	client, err := dynamic.NewForConfig(plane.OfTest(config))
	if err != nil {
		t.Fatal(err)
	}
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	for resource, object := range map[string]map[string]any{
		"roles": {"kind": "Role", "rules": []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"},
			"verbs": []any{"list", "watch"}}}},
		"rolebindings": {"kind": "RoleBinding", "roleRef": map[string]any{"apiGroup": rbac.Group, "kind": "Role", "name": "read"},
			"subjects": []any{map[string]any{"apiGroup": rbac.Group, "kind": "User", "name": "of-namespaces"}}},
	} {
		object["apiVersion"], object["metadata"] = rbac.String(), map[string]any{"name": "read"}
		if _, err := client.Resource(rbac.WithResource(resource)).Namespace(namespace).Create(t.Context(),
			&unstructured.Unstructured{Object: object}, metav1.CreateOptions{}); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", resource, err))
		}
	}
	plane.Allowed(t, config, "of-namespaces", authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "watch", Resource: "configmaps"})
}

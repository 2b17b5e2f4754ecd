// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/render"
	"github.com/tristate/tristate/proof/plane"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// requests collects the paths of the types that are requested.
type requests struct {
	mu    sync.Mutex
	paths []string
}

var ofNamespace = regexp.MustCompile(`/namespaces/[^/]+/`)

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		if strings.Contains(req.URL.Path, "/v1") {
			r.mu.Lock()
			r.paths = append(r.paths, ofNamespace.ReplaceAllString(req.URL.Path, "/"))
			r.mu.Unlock()
		}
		return next.RoundTrip(req)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// makeHierarchy creates a deployment with replica sets and pods, many at a time.
func makeHierarchy(t *testing.T, cfg *rest.Config, namespace string, replicaSets, pods int) {
	t.Helper()
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	create := func(apiVersion, resource, kind, name string, owner *unstructured.Unstructured, spec map[string]any) *unstructured.Unstructured {
		gv, _ := schema.ParseGroupVersion(apiVersion)
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
		u.SetName(name)
		u.SetLabels(map[string]string{"app": "big"})
		if owner != nil {
			u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(),
				UID: owner.GetUID()}})
		}
		out, err := client.Resource(gv.WithResource(resource)).Namespace(namespace).Create(t.Context(), u, metav1.CreateOptions{})
		if err != nil {
			t.Errorf("create %s/%s: %v", kind, name, err)
		}
		return out
	}
	pod := map[string]any{"containers": []any{map[string]any{"name": "app", "image": "app:1"}}}
	template := map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "none"}}, "spec": pod}
	selector := map[string]any{"matchLabels": map[string]any{"app": "none"}}
	// paused and with a selector of their own, so that controllers leave the hierarchy as it is
	top := create("apps/v1", "deployments", "Deployment", "big", nil, map[string]any{"paused": true, "replicas": int64(0),
		"selector": selector, "template": template})
	var wait sync.WaitGroup
	for i := range replicaSets {
		wait.Go(func() {
			name := fmt.Sprintf("big-%03d", i)
			rs := create("apps/v1", "replicasets", "ReplicaSet", name, top, map[string]any{"replicas": int64(0), "selector": selector,
				"template": template})
			for k := range pods {
				create("v1", "pods", "Pod", fmt.Sprintf("%s-%03d", name, k), rs, pod)
			}
		})
	}
	wait.Wait()
}

// TestRelated_tenThousand draws the tree of 10,000 objects and counts the requests: one a kind, however many objects there are.
func TestRelated_tenThousand(t *testing.T) {
	if testing.Short() {
		t.Skip("creates 10,000 objects")
	}
	cfg := plane.ForTest(t)
	namespace := plane.Namespace(t, cfg)
	created := time.Now()
	makeHierarchy(t, cfg, namespace, 50, 199)
	t.Logf("created in %v", time.Since(created).Round(time.Millisecond))

	counted := &requests{}
	counting := rest.CopyConfig(cfg)
	counting.Wrap(counted.wrap)
	counting.DisableCompression = true
	begin := time.Now()
	c, err := Connect(t.Context(), counting, Options{Namespace: namespace, Warn: func(w string) { t.Errorf("warning: %s", w) }})
	if err != nil {
		t.Fatal(err)
	}
	g := relation.New(nil)
	v := &relation.View{Graph: g, Judge: relation.JudgeBy(pack.Default(nil), nil, begin)}
	ids, failed := c.Roots(context.Background(), g, []Query{{Type: "deployment", Name: "big"}})
	if failed = append(failed, c.Related(context.Background(), v, ids)...); len(failed) > 0 {
		t.Fatal(failed)
	}
	read := time.Since(begin)
	tree := v.Build(ids[0])
	if err := render.Tree(io.Discard, tree, render.Options{Now: begin, Width: 100}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects: read in %v, drawn after %v", g.Len(), read.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	if g.Len() < 10000 {
		t.Errorf("%d objects, want 10,000", g.Len())
	}
	slices.Sort(counted.paths)
	want := []string{"/api/v1/pods", "/apis/apps/v1/deployments/big", "/apis/apps/v1/replicasets"}
	if diff := cmp.Diff(want, slices.DeleteFunc(counted.paths, func(p string) bool {
		return strings.HasSuffix(p, "/v1") || slices.Contains([]string{"/api/v1/configmaps", "/api/v1/serviceaccounts", "/api/v1/secrets",
			"/api/v1/nodes", "/apis/coordination.k8s.io/v1/leases"}, p)
	})); diff != "" {
		t.Errorf("requests: -want +got\n%s", diff)
	}
}

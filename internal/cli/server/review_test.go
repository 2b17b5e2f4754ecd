// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/proof/plane"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

func TestMain(m *testing.M) { plane.Main(m) }

// TestReview: on a real API server a user sees what the cluster lets it list, another one nothing, and a stranger is not let in.
func TestReview(t *testing.T) {
	cfg := plane.ForTest(t)
	mine, theirs := plane.Namespace(t, cfg), plane.Namespace(t, cfg)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	claim := func(namespace, name string) {
		t.Helper()
		_, err := client.CoreV1().PersistentVolumeClaims(namespace).Create(ctx,
			&core.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: core.PersistentVolumeClaimSpec{
				AccessModes: []core.PersistentVolumeAccessMode{core.ReadWriteOnce},
				Resources:   core.VolumeResourceRequirements{Requests: core.ResourceList{core.ResourceStorage: resource.MustParse("1Gi")}}}},
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	claim(mine, "one")
	claim(theirs, "secret")
	token := func(name string) string {
		t.Helper()
		if _, err := client.CoreV1().ServiceAccounts(mine).Create(ctx, &core.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		out, err := client.CoreV1().ServiceAccounts(mine).CreateToken(ctx, name, &authentication.TokenRequest{}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return out.Status.Token
	}
	reader, other := token("reader"), token("other")
	if _, err := client.RbacV1().Roles(mine).Create(ctx, &rbac.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules: []rbac.PolicyRule{{APIGroups: []string{""},
			Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"list"}}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RbacV1().RoleBindings(mine).Create(ctx, &rbac.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		RoleRef:  rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "Role", Name: "reader"},
		Subjects: []rbac.Subject{{Kind: "ServiceAccount", Name: "reader", Namespace: mine}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	plane.Allowed(t, cfg, "system:serviceaccount:"+mine+":reader", authorization.ResourceAttributes{Namespace: mine, Verb: "list",
		Resource: "persistentvolumeclaims"})

	c, err := cluster.Connect(ctx, cfg, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := &catalog.Set{}
	fleet := rows.New(time.Now)
	source := fleet.Add(rows.Options{Graph: relation.NewPacked(set), Cluster: c,
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, time.Now()) },
		Types: func(context.Context) []cluster.Query { return []cluster.Query{{Type: "persistentvolumeclaims.v1."}} }})
	done, following := make(chan struct{}), context.Context(nil)
	following, stop := context.WithCancel(ctx)
	go func() { source.Follow(following); close(done) }()
	t.Cleanup(func() { stop(); <-done })
	until := func(n int) {
		t.Helper()
		for {
			_, _, changed := fleet.Seq()
			if w := fleet.Window(rows.Query{Namespaces: []string{mine, theirs}}, "name", 0, 10); source.Ready() && w.Filtered == n {
				return
			}
			select {
			case <-changed:
			case <-time.After(5 * time.Minute):
				t.Fatalf("%d objects did not come", n)
			}
		}
	}
	until(2)
	review := NewReview(dynamic.NewForConfigOrDie(cfg), nil)
	handler := New(Options{Fleet: fleet, Auth: review, MetricsAuth: review.Metrics, Metrics: metricsHandler(NewMetrics(fleet, 10))})
	ask := func(path, token string, into any) int {
		t.Helper()
		r := httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx)
		r.Host = "localhost"
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if into != nil {
			if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
				t.Fatalf("%s: %v in %s", path, err, w.Body)
			}
		}
		return w.Code
	}
	objects := func(token string) (w api.Window) {
		t.Helper()
		if code := ask("/api/v1/objects?namespace="+mine+"&namespace="+theirs, token, &w); code != http.StatusOK {
			t.Fatalf("status %d", code)
		}
		return w
	}
	if w := objects(reader); w.Filtered != 1 || w.Rows[0].Object.Namespace != mine {
		t.Errorf("the reader sees %+v, want its own claim", w.Rows)
	} else if len(w.Hidden) != 1 || w.Hidden[0].Resource != "persistentvolumeclaims" {
		t.Errorf("the reader is not told what is hidden: %+v", w.Hidden)
	}
	if w := objects(other); w.Total != 0 || w.Counts.Unhealthy != 0 || len(w.Rows) != 0 || len(w.Hidden) != 1 {
		t.Errorf("who may list nothing sees %+v", w)
	}
	secret := api.ID{ID: relation.ID{Namespace: theirs, Name: "secret"}}
	secret.Kind = "PersistentVolumeClaim"
	for _, path := range []string{"tree", "why", "history"} {
		if code := ask("/api/v1/"+path+"?id="+secret.String(), reader, nil); code != http.StatusNotFound {
			t.Errorf("%s of an object that may not be seen: status %d", path, code)
		}
	}
	if code := ask("/api/v1/about", "no-token-of-the-cluster", nil); code != http.StatusUnauthorized {
		t.Errorf("a stranger: status %d", code)
	}
	if code := ask("/metrics", reader, nil); code != http.StatusForbidden {
		t.Errorf("metrics for a reader of one namespace: status %d", code)
	}
	claim(mine, "two")
	until(3)
	if w := objects(reader); w.Filtered != 2 {
		t.Errorf("the reader sees %d claims, want 2", w.Filtered)
	}
}

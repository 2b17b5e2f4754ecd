// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/history"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

// tenant is a server for one reader with some rights, on a clock that only the test moves.
type tenant struct {
	source  *rows.Source
	handler http.Handler
	rights  rows.Rights
	now     *time.Time
}

// Reader implements [Auth].
func (n *tenant) Reader(*http.Request) (Reader, error) {
	return Reader{User: "tenant", Rights: n.rights}, nil
}

func newTenant(rights rows.Rights) *tenant {
	now := noon
	clock := func() time.Time { return now }
	set := &catalog.Set{}
	n := &tenant{rights: rights, now: &now}
	fleet := rows.New(clock)
	n.source = fleet.Add(rows.Options{Graph: relation.NewPacked(set), Clock: clock,
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, now) },
		Store: history.Open("", history.Options{Now: clock})})
	n.handler = New(Options{Fleet: fleet, Auth: n, Mode: "cluster"})
	return n
}

// secrets are random or measure time: the name of a run, and when causes were computed.
var secrets = regexp.MustCompile(`"epoch":"[0-9a-f]+"|"computed":"[^"]+"`)

// get returns the status and the body of an answer.
func (n *tenant) get(t *testing.T, path string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	if strings.HasPrefix(path, "/api/v1/stream") {
		stop() // it sends how things are, and ends
	}
	defer stop()
	r := httptest.NewRequest(http.MethodGet, path, nil).WithContext(ctx)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	n.handler.ServeHTTP(w, r)
	body := secrets.ReplaceAllString(w.Body.String(), "")
	return fmt.Sprintln(w.Code, regexp.MustCompile(`(?m)^id: [0-9a-f]+-`).ReplaceAllString(body, "id: "))
}

// verdicts returns the list of the aggregated API, as JSON.
func (n *tenant) verdicts(t *testing.T) string {
	t.Helper()
	out, err := listVerdicts(n.handler.(*Server).Fleet.As(n.rights), rows.Query{Namespaced: true}, aggregatedResources[0],
		httptest.NewRequest(http.MethodGet, "/?limit=7", nil))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// randomCluster is a random cluster as kubelets and controllers write it: pods of replica sets of deployments, which call services of any
// namespace and read config maps and secrets that may not exist.
func randomCluster(random *rand.Rand, namespaces []string) map[relation.ID]*relation.Object {
	out := map[relation.ID]*relation.Object{}
	begun := metav1.NewTime(noon.Add(-time.Hour))
	put := func(o runtime.Object) {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			panic(err)
		}
		object := relation.FromContent(content)
		object.Content["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(random.IntN(1 << 30))
		out[object.ID] = relation.FromContent(object.Content)
	}
	meta := func(namespace, name string, owner ...metav1.OwnerReference) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + name), Generation: 1, CreationTimestamp: begun,
			Labels: map[string]string{"app": name}, OwnerReferences: owner}
	}
	yes := true
	owned := func(kind, namespace, name string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID(namespace + name), Controller: &yes}
	}
	somewhere := func() string { return namespaces[random.IntN(len(namespaces))] }
	put(&core.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: meta("", "node"), Status: core.NodeStatus{
		Conditions: []core.NodeCondition{{Type: core.NodeReady, Status: core.ConditionFalse, Reason: "Dead", LastTransitionTime: begun}}}})
	for _, namespace := range namespaces {
		for i := range 3 {
			name := fmt.Sprint("app-", i)
			image, bad := "app:1", random.IntN(2) == 0
			container := core.Container{Name: "app", Image: image, Env: []core.EnvVar{
				{Name: "DB", Value: fmt.Sprintf("http://svc-%d.%s.svc:%d", random.IntN(3), somewhere(), 8080+random.IntN(2))}},
				EnvFrom: []core.EnvFromSource{
					{ConfigMapRef: &core.ConfigMapEnvSource{LocalObjectReference: core.LocalObjectReference{Name: fmt.Sprint("config-", random.IntN(3))}}},
					{SecretRef: &core.SecretEnvSource{LocalObjectReference: core.LocalObjectReference{Name: fmt.Sprint("secret-", random.IntN(3))}}}}}
			template := core.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}},
				Spec: core.PodSpec{Containers: []core.Container{container}}}
			selector := &metav1.LabelSelector{MatchLabels: template.Labels}
			available, status := int32(1), core.ConditionTrue
			if bad {
				available, status = 0, core.ConditionFalse
			}
			put(&apps.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta(namespace, name),
				Spec: apps.DeploymentSpec{Template: template, Selector: selector}, Status: apps.DeploymentStatus{ObservedGeneration: 1, Replicas: 1,
					UpdatedReplicas: 1, AvailableReplicas: available, Conditions: []apps.DeploymentCondition{
						{Type: apps.DeploymentAvailable, Status: status, Reason: "MinimumReplicas", LastTransitionTime: begun}}}})
			put(&apps.ReplicaSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
				ObjectMeta: meta(namespace, name+"-r", owned("Deployment", namespace, name)),
				Spec:       apps.ReplicaSetSpec{Template: template, Selector: selector},
				Status:     apps.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 1, AvailableReplicas: available, ReadyReplicas: available}})
			pod := &core.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
				ObjectMeta: meta(namespace, name+"-r-x", owned("ReplicaSet", namespace, name+"-r")), Spec: template.Spec,
				Status: core.PodStatus{Phase: core.PodRunning, Conditions: []core.PodCondition{
					{Type: core.PodReady, Status: status, LastTransitionTime: begun}}}}
			pod.Labels["app"], pod.Spec.NodeName = name, "node"
			state := core.ContainerStatus{Name: "app", Image: image, Ready: !bad}
			if bad {
				state.State.Waiting = &core.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"}
				state.LastTerminationState.Terminated = &core.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: begun}
				state.RestartCount = 7
			} else {
				state.State.Running = &core.ContainerStateRunning{StartedAt: begun}
			}
			pod.Status.ContainerStatuses = []core.ContainerStatus{state}
			put(pod)
			if random.IntN(2) == 0 {
				put(&core.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta(namespace, fmt.Sprint("svc-", i)),
					Spec: core.ServiceSpec{Selector: map[string]string{"app": fmt.Sprint("app-", random.IntN(4))},
						ClusterIP: fmt.Sprint("10.0.0.", i), Ports: []core.ServicePort{{Port: 8080, TargetPort: intstr.FromInt32(80)}}}})
			}
			if random.IntN(2) == 0 {
				put(&core.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
					ObjectMeta: meta(namespace, fmt.Sprint("config-", i))})
			}
			if random.IntN(2) == 0 {
				put(&core.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: meta(namespace, fmt.Sprint("secret-", i))})
			}
			put(&core.Event{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}, ObjectMeta: meta(namespace, "event-"+name),
				InvolvedObject: core.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: namespace, Name: pod.Name}, Type: "Warning",
				Reason: "BackOff", Message: fmt.Sprint("event ", random.IntN(9)), Count: 3, FirstTimestamp: begun, LastTimestamp: begun})
		}
	}
	return out
}

// Whoever may see a part of a cluster gets the same bytes whether the other part is there, changes, or is not: in every answer, also in
// answers about objects that are guessed, and in the stream.
func TestTenants(t *testing.T) {
	namespaces := []string{"a", "b", "c"}
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			everything, later := randomCluster(random, namespaces), randomCluster(random, namespaces)
			kinds := map[schema.GroupKind]bool{}
			for id := range everything {
				kinds[id.GroupKind] = true
			}
			allowed := map[relation.ID]bool{}
			byName := func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) }
			for _, kind := range slices.SortedFunc(maps.Keys(kinds), byName) {
				switch random.IntN(4) {
				case 0: // nowhere
				case 1:
					allowed[relation.ID{GroupKind: kind}] = true
				default:
					for _, namespace := range namespaces {
						if random.IntN(2) == 0 {
							allowed[relation.ID{GroupKind: kind, Namespace: namespace}] = true
						}
					}
				}
			}
			rights := rows.Rights{Key: "tenant", May: func(_ *rows.Source, kind schema.GroupKind, namespace string) bool {
				return allowed[relation.ID{GroupKind: kind}] || allowed[relation.ID{GroupKind: kind, Namespace: namespace}]
			}}
			sees := func(id relation.ID) bool { return rights.May(nil, id.GroupKind, id.Namespace) }
			whole, half := newTenant(rights), newTenant(rights)
			var types []*relation.Object
			for kind := range kinds {
				types = append(types, relation.FromContent(map[string]any{"apiVersion": kind.WithVersion("v1").GroupVersion().String(),
					"kind": kind.Kind, "metadata": map[string]any{"namespace": "z", "name": "z"}}))
			}
			whole.source.Sync(types) // both clusters serve the same types
			half.source.Sync(types)
			for i, objects := range []map[relation.ID]*relation.Object{everything, later} {
				var all, visible []*relation.Object
				ids := slices.SortedFunc(maps.Keys(everything), relation.Compare)
				for _, id := range ids {
					if o := objects[id]; o != nil {
						if all = append(all, o); sees(id) {
							visible = append(visible, o)
						}
					}
				}
				whole.source.Sync(all)
				half.source.Sync(visible)
				paths := []string{"about", "overview", "overview?unhealthy=true", "objects?limit=500", "objects?sort=name&limit=500",
					"objects?sort=age&unhealthy=true", "objects?text=svc", "facets", "changes?since=24h", "at?time=30m", "at?time=1s", "stream",
					"objects?sort=wrong"}
				for range 20 {
					id := ids[random.IntN(len(ids))]
					name := url.QueryEscape(api.ID{ID: id}.String())
					for _, answer := range []string{"why?id=", "tree?id=", "tree?up=true&id=", "history?id=", "objects?cause="} {
						paths = append(paths, answer+name)
					}
				}
				for _, path := range paths {
					path = "/api/v1/" + path
					if diff := cmp.Diff(half.get(t, path), whole.get(t, path)); diff != "" {
						t.Fatalf("step %d, %s differs if the rest of the cluster is there (-not there +there):\n%s", i, path, diff)
					}
				}
				if diff := cmp.Diff(half.verdicts(t), whole.verdicts(t)); diff != "" {
					t.Fatalf("step %d, the aggregated API differs if the rest of the cluster is there (-not there +there):\n%s", i, diff)
				}
				for _, n := range []*tenant{whole, half} {
					*n.now = n.now.Add(time.Minute)
				}
			}
		})
	}
}

// A token that the cluster does not know is asked about once, not by each request that shows it.
func TestReview_unknown(t *testing.T) {
	client, asked := fake.NewSimpleDynamicClient(runtime.NewScheme()), 0
	client.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return true, action.(clienttesting.CreateAction).GetObject(), nil
	})
	review := NewReview(client, nil)
	for range 3 {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/about", nil)
		r.Header.Set("Authorization", "Bearer guess")
		if _, err := review.Reader(r); !errors.Is(err, ErrUnauthorized) {
			t.Errorf("an unknown token: %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("the cluster was asked %d times about one token", asked)
	}
}

// Rights are remembered with the whole question: a token with a smaller scope, which is in the extra of its user, has rights of its own.
func TestReview_extra(t *testing.T) {
	client := fake.NewSimpleDynamicClient(runtime.NewScheme())
	client.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		token, _, _ := unstructured.NestedString(review.Object, "spec", "token")
		review.Object["status"] = map[string]any{"authenticated": true,
			"user": map[string]any{"username": "jane", "extra": map[string]any{"scopes": []any{token}}}}
		return true, review, nil
	})
	client.PrependReactor("create", "subjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		scopes, _, _ := unstructured.NestedStringSlice(review.Object, "spec", "extra", "scopes")
		review.Object["status"] = map[string]any{"allowed": slices.Contains(scopes, "full")}
		return true, review, nil
	})
	review := NewReview(client, nil)
	for _, test := range []struct {
		token string
		may   bool
	}{{"full", true}, {"scoped", false}} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Header.Set("Authorization", "Bearer "+test.token)
		if err := review.Metrics(r); (err == nil) != test.may {
			t.Errorf("with the token %s metrics are refused by %v, want allowed %v", test.token, err, test.may)
		}
		who, err := review.Reader(r)
		if err != nil {
			t.Fatal(err)
		}
		if other, _ := review.Reader(r); other.Rights.Key != who.Rights.Key {
			t.Error("one token has two readers")
		}
	}
}

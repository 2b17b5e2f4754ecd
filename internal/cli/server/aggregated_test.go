// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tristate/tristate/internal/declare/catalog"
	"github.com/tristate/tristate/internal/declare/pack"
	"github.com/tristate/tristate/internal/fleet/api"
	"github.com/tristate/tristate/internal/fleet/cluster"
	"github.com/tristate/tristate/internal/fleet/relation"
	"github.com/tristate/tristate/internal/fleet/rows"
	"github.com/tristate/tristate/proof/plane"
	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"
)

// aggregated is the API of verdicts behind a real API server, with Services in two namespaces.
type aggregated struct {
	config       *rest.Config
	mine, theirs string
	address      string // of the server itself
}

// TestAggregated: clients of a real API server read verdicts as they read any other resource; each sees those of the kinds that it may list
// and no other, and nobody but the API server is answered.
func TestAggregated(t *testing.T) {
	a := newAggregated(t)
	reader := rest.CopyConfig(a.config)
	reader.Impersonate = rest.ImpersonationConfig{UserName: "verdict-reader"}
	a.allow(t, "verdict-reader")

	names := func(config *rest.Config, namespace string) []string {
		t.Helper()
		list, err := dynamic.NewForConfigOrDie(config).Resource(aggregatedVersion.WithResource("verdicts")).Namespace(namespace).
			List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for i := range list.Items {
			if ns := list.Items[i].GetNamespace(); ns == a.mine || ns == a.theirs {
				out = append(out, map[string]string{a.mine: "mine/", a.theirs: "theirs/"}[ns]+list.Items[i].GetName())
			}
		}
		slices.Sort(out)
		return out
	}
	if got := names(a.config, ""); !slices.Equal(got, []string{"mine/service:web", "theirs/service:secret"}) {
		t.Errorf("an administrator sees %v", got)
	}
	if got := names(reader, ""); !slices.Equal(got, []string{"mine/service:web"}) {
		t.Errorf("a reader of one namespace sees %v", got)
	}
	for namespace, name := range map[string]string{a.theirs: "service:secret", a.mine: "service:absent"} {
		_, err := dynamic.NewForConfigOrDie(reader).Resource(aggregatedVersion.WithResource("verdicts")).Namespace(namespace).
			Get(t.Context(), name, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("%s of a reader that may not list it: %v, want NotFound", name, err)
		}
	}
	one, err := dynamic.NewForConfigOrDie(reader).Resource(aggregatedVersion.WithResource("verdicts")).Namespace(a.mine).
		Get(t.Context(), "service:web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if word, _, _ := unstructured.NestedString(one.Object, "status", "verdict"); word == "" {
		t.Errorf("a verdict without a word: %v", one.Object)
	}

	stranger := rest.CopyConfig(a.config)
	stranger.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	if _, err := dynamic.NewForConfigOrDie(stranger).Resource(aggregatedVersion.WithResource("verdicts")).
		List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user without the right to list verdicts: %v", err)
	}
	a.direct(t)
	a.kubectl(t)
}

// direct: whoever calls the server itself is refused, with the headers of an administrator, and with a certificate of a stranger.
func (a *aggregated) direct(t *testing.T) {
	t.Helper()
	cert, key := pair(t, t.TempDir(), "front-proxy-client", noon)
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for name, shown := range map[string][]tls.Certificate{"no certificate": nil, "a certificate of its own": {own}} {
		c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: shown}}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+a.address+"/apis/"+aggregatedVersion.String()+"/verdicts", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Remote-User", "admin")
		r.Header.Set("X-Remote-Group", "system:masters")
		answer, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: status %d, want 401", name, answer.StatusCode)
		}
		_ = answer.Body.Close()
	}
}

// kubectl: the columns are those of the server.
func (a *aggregated) kubectl(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath("kubectl")
	if err != nil {
		t.Log("there is no kubectl on the PATH")
		return
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	config := clientapi.NewConfig()
	config.Clusters["plane"] = &clientapi.Cluster{Server: a.config.Host, CertificateAuthorityData: a.config.CAData,
		CertificateAuthority: a.config.CAFile}
	config.AuthInfos["plane"] = &clientapi.AuthInfo{Token: a.config.BearerToken}
	config.Contexts["plane"] = &clientapi.Context{Cluster: "plane", AuthInfo: "plane"}
	config.CurrentContext = "plane"
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), program, "--kubeconfig", file, "get", "verdicts", "-n", a.mine)
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	if got := strings.Fields(first); !slices.Equal(got, []string{"NAME", "VERDICT", "REASON", "FOR", "MESSAGE"}) || !strings.Contains(out.String(), "service:web") {
		t.Errorf("kubectl get verdicts prints\n%s", &out)
	}
}

// allow lets a user list verdicts everywhere and Services in one namespace.
func (a *aggregated) allow(t *testing.T, user string) {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(a.config)
	role := &rbac.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: a.mine + "-verdicts"},
		Rules: []rbac.PolicyRule{{APIGroups: []string{aggregatedVersion.Group}, Resources: []string{"verdicts"}, Verbs: []string{"get", "list"}}}}
	subjects := []rbac.Subject{{Kind: "User", APIGroup: rbac.GroupName, Name: user}}
	_, err := client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	if err == nil {
		_, err = client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbac.ClusterRoleBinding{ObjectMeta: role.ObjectMeta,
			Subjects: subjects, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role.Name}}, metav1.CreateOptions{})
	}
	if err == nil {
		_, err = client.RbacV1().RoleBindings(a.mine).Create(t.Context(), &rbac.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "view"},
			Subjects: subjects, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: "view"}}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	plane.Allowed(t, a.config, user, authorization.ResourceAttributes{Namespace: a.mine, Verb: "list", Resource: "services"})
	plane.Allowed(t, a.config, user, authorization.ResourceAttributes{Verb: "list", Group: aggregatedVersion.Group, Resource: "verdicts"})
}

// newAggregated serves the API, registers it, and waits until the API server answers for it.
func newAggregated(t *testing.T) *aggregated {
	t.Helper()
	cfg := plane.ForTest(t)
	a := &aggregated{config: cfg, mine: plane.Namespace(t, cfg), theirs: plane.Namespace(t, cfg)}
	client := kubernetes.NewForConfigOrDie(cfg)
	for namespace, name := range map[string]string{a.mine: "web", a.theirs: "secret"} {
		if _, err := client.CoreV1().Services(namespace).Create(t.Context(), &core.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: core.ServiceSpec{Ports: []core.ServicePort{{Port: 80}}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := cluster.Connect(t.Context(), cfg, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := &catalog.Set{}
	fleet := rows.New(time.Now)
	source := fleet.Add(rows.Options{Graph: relation.NewPacked(set), Cluster: c,
		Judge: func() rows.Judge { return relation.JudgeBy(pack.Default(set), set, time.Now()) },
		Types: func(context.Context) []cluster.Query { return []cluster.Query{{Type: "services.v1."}} }})
	following, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { source.Follow(following); close(done) }()
	t.Cleanup(func() { stop(); <-done })

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a.address = listener.Addr().String()
	if listener, err = OwnTLS(listener, time.Now()); err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: NewAggregated(fleet, NewReview(dynamic.NewForConfigOrDie(cfg), nil)), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(func() { _ = s.Close() })
	a.register(t)
	for { // a Service that was made before the first list is in it
		list, err := dynamic.NewForConfigOrDie(cfg).Resource(aggregatedVersion.WithResource("verdicts")).List(t.Context(), metav1.ListOptions{})
		if err == nil && len(list.Items) >= 2 {
			return a
		}
		select {
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// register makes the APIService. An ExternalName leads the API server to this machine.
func (a *aggregated) register(t *testing.T) {
	t.Helper()
	_, port, _ := net.SplitHostPort(a.address)
	number := json.Number(port)
	n, err := number.Int64()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kubernetes.NewForConfigOrDie(a.config).CoreV1().Services("default").Create(t.Context(), &core.Service{
		ObjectMeta: metav1.ObjectMeta{Name: a.mine}, Spec: core.ServiceSpec{Type: core.ServiceTypeExternalName, ExternalName: "localhost"}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	services := dynamic.NewForConfigOrDie(a.config).Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1",
		Resource: "apiservices"})
	name := aggregatedVersion.Version + "." + aggregatedVersion.Group
	if _, err := services.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"group": aggregatedVersion.Group, "version": aggregatedVersion.Version, "insecureSkipTLSVerify": true,
			"groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
			"service": map[string]any{"namespace": "default", "name": a.mine, "port": n}}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := services.Delete(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// TestAggregated_list: pages, selectors and questions that are not answered, by the form of requests.
func TestAggregated_list(t *testing.T) {
	n := newTenant(rows.Rights{})
	var objects []*relation.Object
	for _, name := range []string{"a", "b", "c"} {
		objects = append(objects, relation.FromContent(map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"namespace": "shop", "name": name, "labels": map[string]any{"app": name}}}))
	}
	n.source.Sync(append(objects, relation.FromContent(map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "n"}})))
	fleet := n.handler.(*Server).Fleet
	tests := map[string]struct {
		query string
		code  int // of an error
		want  string
	}{
		"all":                           {"", 0, "a b c"},
		"a first page":                  {"limit=2", 0, "a b continue=2"},
		"the next page":                 {"limit=2&continue=2", 0, "c"},
		"by label":                      {"labelSelector=app%3Db", 0, "b"},
		"by name":                       {"fieldSelector=metadata.name%3Dconfigmap:c", 0, "c"},
		"a field that does not exist":   {"fieldSelector=spec.x%3Dy", http.StatusBadRequest, ""},
		"a label that cannot be read":   {"labelSelector=%21%21", http.StatusBadRequest, ""},
		"a page that is no number":      {"continue=abc", http.StatusBadRequest, ""},
		"a negative page":               {"continue=-1", http.StatusBadRequest, ""},
		"a watch, which is not offered": {"watch=true", http.StatusMethodNotAllowed, ""},
	}
	for name, test := range tests {
		request := httptest.NewRequest(http.MethodGet, "/?"+test.query, nil)
		got, err := listVerdicts(fleet, rows.Query{Namespaced: true}, aggregatedResources[0], request)
		if err != nil || test.code != 0 {
			if code := problemOf(err).status; code != test.code {
				t.Errorf("%s: status %d (%v), want %d", name, code, err, test.code)
			}
			continue
		}
		list := got.(api.VerdictList)
		var words []string
		for _, v := range list.Items {
			words = append(words, strings.TrimPrefix(v.Name, "configmap:"))
		}
		if list.Continue != "" {
			words = append(words, "continue="+list.Continue)
		}
		if text := strings.Join(words, " "); text != test.want {
			t.Errorf("%s: %q, want %q", name, text, test.want)
		}
	}
}
